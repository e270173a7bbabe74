import type { Runtime } from "../../../src/commands/runtime.ts";
import { Secrets } from "../../../src/core/secrets.ts";
import { temporaryFolder } from "../program/program.ts";
import { testMachine } from "./machine.ts";
import { fakeClock, recordOutput } from "./terminal.ts";

/** Returns what a process gives a command, with a home directory of its own, and what is printed on standard error. */
export function makeRuntime({
  argv = [],
  env = {},
  stderrIsTTY = false,
}: Partial<Pick<Runtime, "argv" | "env">> & { readonly stderrIsTTY?: boolean } = {}) {
  const stderr = recordOutput({ isTTY: stderrIsTTY });
  const clock = fakeClock();
  const runtime: Runtime = {
    argv,
    secrets: new Secrets(argv),
    env: { HOME: temporaryFolder(), ...env },
    stdin: {
      isTTY: false,
      async *[Symbol.asyncIterator]() {},
      ask: async () => "",
      prompts: () => Promise.reject(new Error("no terminal")),
    },
    stdout: recordOutput(),
    stderr,
    clock,
    machine: testMachine(clock),
    kill: () => {},
    random: () => 0.5,
    signal: new AbortController().signal,
    interceptSignals: () => () => {},
    exitNow: () => {},
    atExit: () => () => {},
    interceptForwarded: () => () => {},
    program: {
      version: "1.2.3",
      node: process.execPath,
      script: "pets.js",
      nodeVersion: "24.0.0",
      platform: "linux",
    },
  };
  return { runtime, stderr };
}
