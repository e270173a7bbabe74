import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { createContext } from "../../../src/commands/context.ts";
import { startDetached } from "../../../src/commands/serve/detach.ts";
import { makeRuntime } from "../../support/command/runtime.ts";

const text = import.meta.filename;
const missing = "/nowhere/node";

it.each([
  ["a missing Node", { node: missing, script: text }, `${missing} ${text}: no such file or dir`],
  ["a missing script", { node: process.execPath, script: missing }, `${missing}: no such file`],
  ["no program", { node: text, script: undefined }, `${text}: permission denied`],
])("%s is an io failure that names it, and leaves no log", async (_what, program, message) => {
  const { runtime } = makeRuntime();
  const context = createContext({ ...runtime, program: { ...runtime.program, ...program } }, {});
  await expect(startDetached(context)).rejects.toMatchObject({
    kind: "io",
    message: expect.stringMatching(`^cannot start .*${message}`),
  });
  expect(readdirSync(context.folders.state)).toEqual([]);
});
