import path from "node:path";
import { runCli } from "./cli/run-cli.ts";
import type { Runtime } from "./commands/runtime.ts";
import { Secrets } from "./core/secrets.ts";
import { makeClock } from "./platform/clock.ts";
import { makeEnding } from "./platform/ending.ts";
import { inputFrom } from "./platform/input.ts";
import { hasTerminal } from "./platform/io.ts";
import { makeMachine } from "./platform/machine.ts";
import { errorOutput, resultOutput } from "./platform/output.ts";
import { installSignalHandlers } from "./platform/signals.ts";

// The build replaces both with strings.
declare const PETS_VERSION: string;
declare const PETS_HELP: string;

const { execPath: node, platform } = process;
const argv = process.argv.slice(2);
const { atExit, end, endBy } = makeEnding(process);
// Whatever a shell says: SQLite and conf too could not use files that their owner may not read or write.
process.umask(process.umask() & 0o077);
let signals: ReturnType<typeof installSignalHandlers> | undefined;
// Until they are first used, signals end the process.
const signalHandlers = () =>
  (signals ??= installSignalHandlers(process, endBy, hasTerminal(runtime)));
const mayBlock = (): boolean => signals === undefined;
const isatty = (fd: number): boolean => process.getBuiltinModule("node:tty").isatty(fd);

// Node 22 calls node:sqlite experimental at every start, Node reports which of two variables it follows, and pg warns
// about its next major version, which is not the bundled one.
const suppressedWarnings =
  /^(?:The '\w+' env is ignored|SQLite is an experimental feature|SECURITY WARNING: The SSL modes|pgpass support is deprecated)/;
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning: string | Error, ...rest: never[]): void => {
  if (!suppressedWarnings.test(String(warning))) emitWarning(warning, ...rest);
};
const clock = makeClock(() => process.hrtime.bigint());
const runtime: Runtime = {
  argv,
  env: process.env,
  secrets: new Secrets(argv),
  stdin: inputFrom(0, {
    stdin: () => process.stdin,
    stderr: () => process.stderr,
    interrupt: () => signalHandlers().interrupt(),
    isatty,
  }),
  stdout: resultOutput(1, { stream: () => process.stdout, mayBlock, isatty }),
  stderr: errorOutput(2, { stream: () => process.stderr, mayBlock, isatty }),
  clock,
  machine: makeMachine(process, () => clock.monotonic()),
  kill: (pid, signal) => process.kill(pid, signal),
  random: Math.random,
  get signal() {
    return signalHandlers().signal;
  },
  atExit,
  exitNow: endBy,
  interceptSignals: (listener) => signalHandlers().interceptSignals(listener),
  interceptForwarded: (listener) => signalHandlers().interceptForwarded(listener),
  program: {
    version: PETS_VERSION,
    help: PETS_HELP,
    node,
    platform,
    nodeVersion: process.versions.node,
    get script() {
      const { isSea } = process.getBuiltinModule("node:sea");
      return isSea() ? undefined : path.resolve(import.meta.dirname, "../bin/pets.js");
    },
  },
};

// By default Node opens its inspector, a port through which code can be run.
process.on("SIGUSR1", () => {});
// Node does not keep the SIG_IGN that `nohup` sets.
if (!hasTerminal(runtime)) process.on("SIGHUP", () => {});

const reportUncaught = async (error: unknown): Promise<void> => {
  const { printFailure } = await import("./cli/run-command.ts");
  end(await printFailure(error, runtime), signals?.heard());
};
// Node itself would print a stack.
process.once("uncaughtException", (error) => void reportUncaught(error));
// Node would exit with 0 if nothing were left that could finish the command.
process.once("beforeExit", () => void reportUncaught(new Error("the command did not finish")));
void runCli(runtime).then((code) => end(code, signals?.heard()));
