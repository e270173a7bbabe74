import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runChild } from "../../../src/commands/serve/run-child.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const lf = "its lines end in CRLF; convert them to LF, for example with `dos2unix`";
const missing = "its interpreter /nowhere/sh does not exist";

/** Runs a file `tool` with this text, found on the PATH, and by its path. */
async function runBoth(text: string, mode = 0o755) {
  const folder = temporaryFolder();
  const file = path.join(folder, "tool");
  writeFileSync(file, text);
  chmodSync(file, mode);
  const env = { PATH: `${path.join(folder, "none")}:${folder}:${process.env.PATH}` };
  const run = (name: string) => runChild([name, "7"], { env, stdio: "ignore" }, () => {});
  return [await run("tool"), await run(file)].map(({ code, problem }) => ({
    code,
    problem: problem?.map((line) => line.replace(/^cannot run .*?tool: /, "")),
  }));
}

describe("a file", () => {
  it.each([
    ["with an interpreter", '#!/bin/sh\nexit "$1"\n', 7, undefined],
    ["without an interpreter, as a shell runs it", 'exit "$1"\n', 7, undefined],
    ["that ends with 127 itself", "#!/bin/sh\nexit 127\n", 127, undefined],
    ["with CRLF", '#!/bin/sh\r\nexit "$1"\r\n', 127, [lf]],
    ["with CRLF and env", "#!/usr/bin/env sh\r\nexit 0\r\n", 127, [lf]],
    ["with CRLF and blanks", "#! /nowhere/sh -e\r\n", 127, [lf]],
    ["of an interpreter that is missing", "#!/nowhere/sh -e", 127, [missing]],
    ["that is empty", "", 0, undefined],
  ])("%s", async (_what, text, code, problem) => {
    for (const ended of await runBoth(text)) expect(ended).toEqual({ code, problem });
  });

  it("that is not executable", async () => {
    const problem = ["it is not executable; use `chmod +x`"];
    for (const ended of await runBoth("#!/bin/sh\n", 0o644))
      expect(ended).toEqual({ code: 126, problem });
  });
});

it.each([
  [["no-such-command"], "command not found: no-such-command", undefined],
  [["a && b"], "command not found: a && b", "`-- sh -c 'a && b'`"],
  [["FOO=1", "cmd", "a b"], "command not found: FOO=1", `\`-- sh -c 'FOO=1 cmd '\\''a b'\\'''\``],
  [["/nowhere/a"], "command not found: /nowhere/a", undefined],
] as const)("%j: 127, %s", async (command, problem, line) => {
  const hints = line === undefined ? [] : [`To run a line of the shell, use ${line}.`];
  const ended = await runChild([...command], { env: process.env, stdio: "ignore" }, () => {});
  expect(ended).toEqual({ code: 127, problem: [problem, ...hints] });
});

it("names a directory, and a file in the way", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "dir"));
  writeFileSync(path.join(folder, "file"), "");
  const run = (name: string) => runChild([path.join(folder, name)], { stdio: "ignore" }, () => {});
  expect(await run("dir")).toEqual({
    code: 126,
    problem: [`cannot run ${folder}/dir: it is a directory`],
  });
  expect(await run("file/x")).toEqual({
    code: 126,
    problem: [`cannot run ${folder}/file/x: not a directory`],
  });
});
