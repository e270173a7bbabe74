import { runCli } from "../../../src/cli/run-cli.ts";
import type { Runtime } from "../../../src/commands/runtime.ts";
import { usageFailure } from "../../../src/core/errors.ts";
import type { Clock, Machine, Prompts } from "../../../src/platform/io.ts";
import { whenFinished } from "../program/when-finished.ts";
import { systemClock, testMachine, thisMachine } from "./machine.ts";
import { makeRuntime } from "./runtime.ts";
import { fakeClock, type RecordedOutput, recordOutput } from "./terminal.ts";

interface WorldOptions {
  readonly env?: Record<string, string>;
  /** What is on standard input; by default nothing. */
  readonly input?: string | Uint8Array;
  readonly terminal?: { readonly columns: number };
  /** By default a new one that does not wait. */
  readonly clock?: Clock;
  readonly machine?: Machine;
  /** By default another one each time. */
  readonly random?: () => number;
  /** The answers typed at prompts, in turn, or what is done before; without them standard input is not a terminal. */
  readonly answers?: readonly (string | (() => Promise<string>))[];
  /** Answers questions; then standard input is a terminal. */
  readonly prompts?: Prompts;
  /** Called with the function that handles a signal of the process. */
  readonly interceptSignals?: Runtime["interceptSignals"];
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, with an empty home and a clock that does not wait. */
export async function runHere(
  argv: readonly string[],
  options: WorldOptions = {},
): Promise<CliRun> {
  const stdout = recordOutput(screen(options));
  const stderr = recordOutput(screen(options));
  const code = await runCli(makeWorld(argv, options, stdout, stderr));
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command line in this process like `runHere`, but as a process would, by the clocks of this machine. */
export function runInTime(argv: readonly string[], options: WorldOptions = {}): Promise<CliRun> {
  return runHere(argv, { clock: systemClock, machine: thisMachine, ...options });
}

function screen({ terminal }: WorldOptions) {
  return terminal === undefined ? {} : { isTTY: true, columns: terminal.columns };
}

function makeWorld(
  argv: readonly string[],
  options: WorldOptions,
  stdout: RecordedOutput,
  stderr: RecordedOutput,
): Runtime {
  const answers = [...(options.answers ?? [])];
  const controller = new AbortController();
  const clock = options.clock ?? fakeClock();
  whenFinished(() => controller.abort());
  const { runtime } = makeRuntime({ ...options, argv });
  return {
    ...runtime,
    stdin: {
      isTTY: (options.answers ?? options.prompts) !== undefined,
      async *[Symbol.asyncIterator]() {
        if (options.input !== undefined) yield Buffer.from(options.input);
      },
      prompts: async () => {
        if (options.prompts === undefined) throw new Error("no terminal");
        return options.prompts;
      },
      ask: async () => {
        const answer = answers.shift();
        if (answer === undefined) throw usageFailure("end of input at the prompt");
        return typeof answer === "string" ? answer : answer();
      },
    },
    stdout,
    stderr,
    clock,
    machine: options.machine ?? testMachine(clock),
    random: options.random ?? Math.random,
    signal: controller.signal,
    interceptSignals: options.interceptSignals ?? runtime.interceptSignals,
  };
}
