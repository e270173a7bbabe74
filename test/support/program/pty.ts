import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { singleQuote as quote } from "../../../src/core/shell-quote.ts";

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** The complete environment; by default that of this process. TERM is `xterm-256color` unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is redirected from the terminal to a file. */
  readonly stdoutToFile?: boolean;
}

interface PtyResult {
  /** The exit code; 128 + n after signal n. */
  readonly code: number;
  /** All output on the terminal, including its echo; lines end with CRLF. */
  readonly output: string;
  /** The content of the file of `stdoutToFile`. */
  readonly stdout: string;
}

export interface Pty {
  readonly output: string;
  readonly ended: Promise<PtyResult>;
  /** Types `keys`; `\x03` is Ctrl-C, `\x04` Ctrl-D, `\r` Enter. */
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the output when it matches; rejects if the program ends or 100 s pass before. */
  waitFor(pattern: RegExp | string): Promise<string>;
}

// That of util-linux, which Debian always has; macOS has a different program of that name.
const ptyHost = "script";

export const ptyAvailable =
  spawnSync(ptyHost, ["--version"]).stdout?.includes("util-linux") ?? false;

/** Starts `command` on a new terminal, 80 by 24 by default. */
export async function startOnPty(
  command: readonly [string, ...string[]],
  options: PtyOptions = {},
): Promise<Pty> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-pty-"));
  const file = (name: string): string => path.join(folder, name);
  writeFileSync(file("run"), startScript(command, options, file));
  const script = spawn(ptyHost, ["-qefc", `exec sh ${quote(file("run"))}`, "/dev/null"], {
    cwd: options.cwd,
    env: { TERM: "xterm-256color", ...(options.env ?? process.env), SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  let over = false;
  script.stdin.on("error", () => {});
  script.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<PtyResult>((resolve, reject) => {
    script.on("error", reject);
    script.on("close", (code) => {
      over = true;
      const stdout = readIfThere(file("stdout"));
      rmSync(folder, { recursive: true });
      resolve({ code: code ?? -1, output, stdout });
    });
  });
  if (!(await until(() => over || existsSync(file("started"))))) script.kill("SIGKILL");
  const pid = Number(readIfThere(file("started")));
  const kill = (signal: NodeJS.Signals): void => void process.kill(pid, signal);
  const killWithTest = (): void => kill("SIGKILL");
  process.once("exit", killWithTest);
  void ended.then(() => process.off("exit", killWithTest));
  return {
    ended,
    get output() {
      return output;
    },
    type: (keys) => void script.stdin.write(keys),
    kill,
    async waitFor(pattern) {
      const matches = (): boolean => output.search(pattern) >= 0;
      const inTime = await until(() => over || matches());
      if (matches()) return output;
      if (!inTime) kill("SIGKILL");
      throw new Error(`the program ${inTime ? "ended" : "hung"} before ${pattern}: ${output}`);
    },
  };
}

function startScript(
  command: readonly string[],
  { columns = 80, rows = 24, stdoutToFile = false }: PtyOptions,
  file: (name: string) => string,
): string {
  const redirection = stdoutToFile ? ` >${quote(file("stdout"))}` : "";
  return [
    `stty cols ${columns} rows ${rows}`,
    `echo "$$" >${quote(file("starting"))}`,
    `mv ${quote(file("starting"))} ${quote(file("started"))}`,
    `exec ${command.map(quote).join(" ")}${redirection}`,
  ].join("\n");
}

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Returns whether `holds` became true within 100 s. */
async function until(holds: () => boolean): Promise<boolean> {
  for (const end = performance.now() + 100_000; performance.now() < end; await delay(10)) {
    if (holds()) return true;
  }
  return false;
}
