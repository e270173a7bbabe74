import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { errorMessage, isSystemError } from "../../core/errors.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { shellCommand, singleQuote } from "../../core/shell-quote.ts";
import { readStart } from "../../platform/private-files.ts";
import type { Context } from "../context.ts";
import type { ChildCommand } from "./settings.ts";

/** How a command ended. */
export interface CommandEnd {
  /** Its exit code, as a shell has it (POSIX.1, 2.8.2). */
  readonly code: number;
  /** If it could not be run, why, and what to do. */
  readonly problem?: readonly string[] | undefined;
}

/** Runs a command until it ends. */
export async function runChild(
  command: ChildCommand,
  options: SpawnOptions,
  onStart: (child: ChildProcess) => void,
): Promise<CommandEnd> {
  const [file, ...args] = command;
  try {
    const child = spawn(file, args, options);
    onStart(child);
    const ended = new Promise<number>((resolve) =>
      child.once("exit", (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      }),
    );
    await once(child, "spawn");
    // From here on an error only means that it could not be signalled, for example because it changed its user.
    child.on("error", () => {});
    const code = await ended;
    // With CRLF, `#!/usr/bin/env bash` starts, and env then finds no `bash\r`.
    const why = code === 127 ? problemOf(findProgram(file, options.env)) : undefined;
    return why === undefined ? { code } : { code, problem: [`cannot run ${file}: ${why}`] };
  } catch (error) {
    const code = isSystemError(error, "ENOENT") || file === "" ? 127 : 126;
    const found = findProgram(file, options.env);
    if (code === 127 && found === undefined) return { code, problem: missingProblem(command) };
    const reason = code === 127 ? "the loader that it needs does not exist" : errorMessage(error);
    return { code, problem: [`cannot run ${file}: ${problemOf(found) ?? reason}`] };
  }
}

/** Prints why a command could not be run, if it could not. */
export async function printProblem(
  { stderr, secrets }: Pick<Context, "stderr" | "secrets">,
  { problem: [first, ...hints] = [] }: CommandEnd,
): Promise<void> {
  if (first === undefined) return;
  const lines = [`pets: ${first}`, ...hints].map((line) => secrets.inMessage(line));
  await stderr.write(lines.map((line) => `${escapeControls(line)}\n`).join(""));
}

/** Returns the file that a command names: a path, or a file in one of the folders of PATH. */
function findProgram(file: string, { PATH = "" }: NodeJS.ProcessEnv = {}): string | undefined {
  const folders = file === "" ? [] : file.includes("/") ? [""] : PATH.split(":");
  return folders.map((folder) => path.join(folder, file)).find((each) => existsSync(each));
}

function missingProblem([file, ...args]: ChildCommand): readonly string[] {
  const line = [file, ...args.map((word) => shellCommand([word], ""))].join(" ");
  const hint = `To run a line of the shell, use \`-- sh -c ${singleQuote(line)}\`.`;
  return [`command not found: ${file}`, ...(/[\s&|;<>()$`=*]/.test(file) ? [hint] : [])];
}

/** Longer than any line that names an interpreter; a program may be large. */
const maxFirstLine = 4_096;

/** Returns why a file cannot be run, if it is known. */
function problemOf(file = ""): string | undefined {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) return "it is a directory";
    if ((stats.mode & 0o111) === 0) return "it is not executable; use `chmod +x`";
    const text = stats.isFile() ? readStart(file, maxFirstLine).toString("latin1") : "";
    const [, interpreter = "", end = ""] = /^#!\s*(\S+).*(\r?)(?:\n|$)/.exec(text) ?? [];
    if (end !== "") return "its lines end in CRLF; convert them to LF, for example with `dos2unix`";
    return existsSync(interpreter || "/")
      ? undefined
      : `its interpreter ${interpreter} does not exist`;
  } catch {
    // It cannot be read.
    return undefined;
  }
}
