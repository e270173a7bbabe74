import { expect, it } from "vitest";
import { makeNotes } from "../../src/output/notes.ts";
import { recordOutput } from "../support/command/terminal.ts";

it("prints notes and warnings, escaped, one line each", async () => {
  const stderr = recordOutput();
  const { note, warning, once } = makeNotes(stderr, false);
  await note("a\nb\x1b");
  await warning("mended");
  await warning("mended");
  await once("key", "first");
  await once("key", "second");
  await once("other", "third");
  expect(stderr.text).toBe("a\\nb\\x1b\nwarning: mended\nfirst\nthird\n");
});

it("prints nothing when quiet", async () => {
  const stderr = recordOutput();
  const { note, warning, once } = makeNotes(stderr, true);
  await Promise.all([note("a"), warning("b"), once("c", "d")]);
  expect(stderr.writes).toEqual([]);
});
