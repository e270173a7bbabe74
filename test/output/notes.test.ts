import { expect, it } from "vitest";
import { makeNotes } from "../../src/output/notes.ts";
import { recordOutput } from "../support/command/terminal.ts";

it.each([
  [false, "a\\nb\\x1b\nwarning: mended\n"],
  [true, ""],
])("notes and warnings, quiet: %s, are %j", async (quiet, text) => {
  const stderr = recordOutput();
  const { note, warning } = makeNotes(stderr, quiet);
  await note("a\nb\x1b");
  await warning("mended");
  await warning("mended");
  expect(stderr.text).toBe(text);
});
