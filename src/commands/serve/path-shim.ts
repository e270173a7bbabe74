import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorMessage, ioFailure } from "../../core/errors.ts";
import { singleQuote } from "../../core/shell-quote.ts";
import { ensurePrivateFolder, isOwnFolder } from "../../platform/private-files.ts";
import { isLocked, type Lock, tryLock } from "../../platform/sqlite-lock.ts";
import type { Context } from "../context.ts";
import type { Program } from "../runtime.ts";

const prefix = "pets-serve-";

/** Creates a temporary folder (0700) whose `pets` is this program on this Node. Throws an io Failure. */
export function writePathShim({
  folders,
  machine,
  program,
}: Pick<Context, "folders" | "machine" | "program">) {
  const problems: string[] = [];
  for (const parent of [path.resolve(tmpdir()), folders.cache, folders.state])
    try {
      if (problems.length > 0) ensurePrivateFolder(parent);
      const shim = makeShim(parent, program);
      if (machine.uid !== undefined) removeLeft(parent, machine.uid);
      return shim;
    } catch (error) {
      problems.push(`${parent} (${errorMessage(error)})`);
    }
  throw ioFailure(
    `no directory can be used for temporary files and for the \`pets\` of the command: ${problems.join(", ")}`,
    undefined,
    "Set TMPDIR to a directory where programs can be run.",
  );
}

function makeShim(parent: string, { node, script, platform }: Program) {
  const { delimiter } = platform === "win32" ? path.win32 : path.posix;
  if (parent.includes(delimiter)) throw new Error(`"${delimiter}" cannot be in a PATH`);
  const folder = mkdtempSync(path.join(parent, prefix));
  let lock: Lock | undefined;
  const remove = (): void => {
    lock?.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    lock = tryLock(path.join(folder, "lock"));
    const words = script === undefined ? [node] : [node, script];
    const shim = path.join(folder, "pets");
    const text = `#!/bin/sh\nexec ${words.map(singleQuote).join(" ")} "$@"\n`;
    writeFileSync(shim, text, { mode: 0o700 });
    const quoted = words.map((word) => `"${word.replaceAll("%", "%%")}"`).join(" ");
    if (platform === "win32") writeFileSync(`${shim}.cmd`, `@${quoted} %*\r\n`);
    // Fails on a file system that is mounted with `noexec`.
    accessSync(shim, constants.X_OK);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Removes the folders of processes that were killed: those of the user `uid` whose lock nobody holds. */
function removeLeft(parent: string, uid: number): void {
  // The lock is taken before `pets` is written.
  const isLeft = (folder: string): boolean =>
    isOwnFolder(folder, uid) &&
    existsSync(path.join(folder, "pets")) &&
    !isLocked(path.join(folder, "lock"));
  try {
    const names = readdirSync(parent).filter((name) => name.startsWith(prefix));
    for (const folder of names.map((name) => path.join(parent, name)).filter(isLeft))
      rmSync(folder, { recursive: true, force: true });
  } catch {
    // A later start tries again.
  }
}
