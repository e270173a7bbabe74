import path from "node:path";
import { builtin } from "./builtin.ts";
import { printFault, runCli } from "./cli.ts";
import type { World } from "./context.ts";
import { makeClock } from "./process/clock.ts";
import { inputFrom } from "./process/input.ts";
import { makeMachine } from "./process/machine.ts";
import { errorOutput, resultOutput } from "./process/output.ts";
import { type HeardSignals, hearSignals } from "./process/signals.ts";
import { titleWithoutPasswords } from "./process/title.ts";

// Both are put in by the build.
declare const PETS_VERSION: string;
declare const PETS_HELP: string;

const { execPath: node, platform } = process;
let signals: HeardSignals | undefined;
/** The signals, heard from the moment at which something first asks for them. */
const heard = (): HeardSignals => (signals ??= hearSignals(process));

/**
 * Warnings that tell the user nothing: Node 22 calls node:sqlite experimental at each start, and pg
 * speaks of its next major version, which is not the one that is bundled.
 */
const idleWarnings =
  /^(?:SQLite is an experimental feature|SECURITY WARNING: The SSL modes|pgpass support is deprecated)/;
silenceIdleWarnings();
const title = titleWithoutPasswords(process.argv.slice(1));
if (title !== undefined) process.title = title;
const clock = makeClock(() => process.hrtime.bigint());
const world: World = {
  argv: process.argv.slice(2),
  env: process.env,
  stdin: inputFrom(0, {
    stdin: () => process.stdin,
    stderr: () => process.stderr,
    interrupt: () => heard().interrupt(),
  }),
  stdout: resultOutput(1, () => process.stdout),
  stderr: errorOutput(2, () => process.stderr),
  clock,
  machine: makeMachine(process, () => clock.monotonic()),
  random: Math.random,
  get signal() {
    return heard().signal;
  },
  leave: (signal) => heard().leave(signal),
  takeSignals: (listener) => heard().takeSignals(listener),
  takeOtherSignals: (listener) => heard().takeOtherSignals(listener),
  program: {
    version: PETS_VERSION,
    help: PETS_HELP,
    node,
    platform,
    get script() {
      const { isSea } = builtin("node:sea");
      return isSea() ? undefined : path.resolve(import.meta.dirname, "../bin/pets.js");
    },
  },
};

// Node itself would print a stack.
process.once("uncaughtException", (error) => void endWith(printFault(error, world)));
void endWith(runCli(world));

async function endWith(exitCode: Promise<number>): Promise<void> {
  process.exit(await exitCode);
}

/** Holds back `idleWarnings`, and nothing else. */
function silenceIdleWarnings(): void {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]): void => {
    if (!idleWarnings.test(String(warning))) emit(warning, ...rest);
  };
}
