import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isApiKey } from "../core/api-key.ts";
import { errorMessage, Failure } from "../core/errors.ts";
import { endGroup, type Kill } from "./process-group.ts";

const timeoutMs = 60_000;
const graceMs = 250;
const maxOutput = 16_384;

export interface KeyCommandOptions {
  readonly platform: NodeJS.Platform;
  readonly kill: Kill;
  readonly stdinIsTTY: boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** Runs `command` in a shell, and returns its first line, the key. Failures name the command, never its output. */
export async function runKeyCommand(command: string, options: KeyCommandOptions): Promise<string> {
  const { signal } = options;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? timeoutMs)]);
  // In Node a new process group is also a new session, which would lose the user's terminal.
  const isGroup = options.platform !== "win32" && !hasControllingTerminal();
  const child = start(command, options, isGroup);
  try {
    const ended = await untilEnded(child, stop);
    // Ctrl-C goes to the command as well as to this process, and may end the command first.
    if (isInterrupted(ended)) await delay(graceMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
    return keyFrom(ended, command);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (!stop.aborted) throw keyCommandFailure(command, `could not be run: ${errorMessage(error)}`);
    if (isGroup && child.pid !== undefined) await endGroup(child.pid, options.kill, graceMs);
    else child.kill();
    signal.throwIfAborted();
    throw keyCommandFailure(command, "did not finish within 60 s");
  }
}

/** Returns whether this process has a terminal on which its children may prompt, even if its streams are redirected. */
function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

function start(
  command: string,
  { platform, stdinIsTTY }: KeyCommandOptions,
  detached: boolean,
): ChildProcess {
  const [shell, flag] = platform === "win32" ? ["cmd", "/c"] : ["sh", "-c"];
  return spawn(shell, [flag, command], {
    // Input that is not a terminal belongs to the caller, such as a loop that reads lines.
    stdio: [stdinIsTTY ? "inherit" : "ignore", "pipe", "inherit"],
    detached,
    windowsVerbatimArguments: true,
  });
}

interface Ended {
  readonly output: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits for the command's end and output. Rejects if it cannot be run, and when `stop` is aborted. */
async function untilEnded(child: ChildProcess, stop: AbortSignal): Promise<Ended> {
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (output.length <= maxOutput) output += text;
  });
  child.on("error", () => {});
  // A child that outlives the command may keep the pipe open.
  child.once("exit", () => void setTimeout(() => child.stdout?.destroy(), graceMs).unref());
  const [code, signal] = await once(child, "close", { signal: stop });
  return { output, code, signal };
}

/** Returns whether SIGINT or SIGTERM ended the command, or a program in it whose exit code its shell passed on. */
function isInterrupted({ code, signal }: Ended): boolean {
  return signal === "SIGINT" || signal === "SIGTERM" || code === 130 || code === 143;
}

function keyFrom({ output, code, signal }: Ended, command: string): string {
  if (signal !== null) throw keyCommandFailure(command, `was killed by ${signal}`);
  if (code !== 0) throw keyCommandFailure(command, `failed with exit code ${code}`);
  const line = /^[^\r\n]*/.exec(output)?.[0] ?? "";
  if (line === "") throw keyCommandFailure(command, "printed no key (exit code 0)");
  if (line.length <= maxOutput && isApiKey(line)) return line;
  throw keyCommandFailure(
    command,
    "printed a first line that is not a key: it contains white space or non-ASCII characters (exit code 0)",
  );
}

function keyCommandFailure(command: string, what: string): Failure {
  return new Failure("auth", `the key command ${JSON.stringify(command)} ${what}`, {
    hints: ["Run the command by itself to see why."],
  });
}
