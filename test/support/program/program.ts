import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { whenFinished } from "./when-finished.ts";

export const script = path.resolve(import.meta.dirname, "../../../bin/pets.js");

export interface Finished {
  /** The exit code; 128 + n after signal n, as a shell has it. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  /** Text for standard input, which is then closed. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

/** Makes an empty folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-test-"));
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns an environment with a path, an empty home, and what all runs share: temporary files and the cache. */
export function cleanEnv(home = temporaryFolder()): Record<string, string> {
  const TMPDIR = tmpdir();
  const XDG_CACHE_HOME = path.join(TMPDIR, "cache");
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR,
    XDG_CACHE_HOME,
    TZ: process.env.TZ ?? "",
  };
}

export const testKey = "key-of-the-tests-1234";

/** Returns a `cleanEnv` with the base URL of a service, a key for it, and the variables of `more`. */
export function envFor(
  { baseUrl, apiKey = testKey }: { readonly baseUrl: string; readonly apiKey?: string },
  more: Record<string, string> = {},
): Record<string, string> {
  return { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey, ...more };
}

export function startPets(
  args: readonly string[],
  { env = cleanEnv(), cwd }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [script, ...args], { env, ...(cwd !== undefined && { cwd }) });
}

export async function runPets(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const child = startPets(args, options);
  child.stdin.on("error", () => {}).end(options.input ?? "");
  return finished(child);
}

/** Returns the exit code that a shell has of a process: 128 + n after signal n. */
export function shellCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Collects what a started program prints, until it ends. */
export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      resolve({ code: shellCode(exitCode, signal), signal, stdout, stderr });
    });
  });
}
