import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { makeEnding } from "../../src/platform/ending.ts";
import type { TerminationSignal } from "../../src/platform/io.ts";

interface Machine {
  readonly platform?: NodeJS.Platform;
  /** What it still waits for. */
  readonly resources?: readonly string[];
  readonly isSea?: boolean;
}

/** Returns how a fake process ends, and what it was told to do. */
function setUp({ platform = "linux", resources = [], isSea = false }: Machine = {}) {
  const calls: string[] = [];
  const note =
    (what: string) =>
    (...given: readonly unknown[]) =>
      void calls.push(`${what} ${given.join(" ")}`.trim());
  const fake = Object.assign(new EventEmitter(), {
    platform,
    pid: 7,
    env: {},
    execPath: "/node",
    getActiveResourcesInfo: () => resources,
    getBuiltinModule: () => ({ isSea: () => isSea }),
    execve: note("execve"),
    exit: note("exit"),
    kill: note("kill"),
  });
  const ending = makeEnding(fake as unknown as NodeJS.Process);
  ending.atExit(() => calls.push("step"));
  return { ...ending, calls };
}

const lookUp = ["Timeout", "GetAddrInfoReqWrap"];

it.each<[string, number, TerminationSignal | undefined, Machine, string[]]>([
  ["an exit code", 6, undefined, {}, ["step", "exit 6"]],
  ["an exit code after a signal", 6, "SIGINT", {}, ["step", "exit 6"]],
  ["the signal", 130, "SIGINT", {}, ["step", "kill 7 SIGINT"]],
  ["the code of a signal that another process got", 130, undefined, {}, ["step", "exit 130"]],
  ["the code of another signal", 143, "SIGINT", {}, ["step", "exit 143"]],
  ["the code of a signal on Windows", 130, "SIGINT", { platform: "win32" }, ["step", "exit 130"]],
  [
    "an exit code during a lookup",
    6,
    undefined,
    { resources: lookUp },
    ["step", "execve /node /node,-e,process.exit(6) [object Object]", "exit 6"],
  ],
  ["it on Windows", 6, undefined, { resources: lookUp, platform: "win32" }, ["step", "exit 6"]],
  ["it as an executable", 6, undefined, { resources: lookUp, isSea: true }, ["step", "exit 6"]],
])("a process ends by %s", (_what, code, heard, machine, expected) => {
  const { end, calls } = setUp(machine);
  end(code, heard);
  expect(calls).toEqual(expected);
});

it("what was to be done at the end is done once, unless it was taken back", () => {
  const { atExit, end, calls } = setUp();
  const takeBack = atExit(() => calls.push("another"));
  takeBack();
  end(0, undefined);
  end(0, undefined);
  expect(calls).toEqual(["step", "exit 0", "exit 0"]);
});
