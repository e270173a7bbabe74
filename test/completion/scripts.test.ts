import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { cleanEnv } from "../support/program/program.ts";

const folder = path.resolve(import.meta.dirname, "../../src/completion/scripts");

it.for<[name: string, command: readonly string[]]>([
  ["pets.bash", ["bash", "-n"]],
  ["pets.bash", ["shellcheck"]],
  ["pets.zsh", ["zsh", "-n"]],
  ["pets.fish", ["fish", "-n"]],
])("%s is valid for %j", ([name, [program = "", ...options]], { skip }) => {
  skip(!hasProgram(program), `needs ${program}`);
  const env = { ...cleanEnv(), LANG: "C.UTF-8" };
  const file = path.join(folder, name);
  const { status, stdout, stderr } = spawnSync(program, [...options, file], {
    encoding: "utf8",
    env,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});
