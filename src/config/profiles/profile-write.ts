import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { ioFailure, errorMessage } from "../../core/errors.ts";
import { resolveLinks } from "../../platform/links.ts";
import { openConf, serialize } from "./file.ts";
import type { ProfileData } from "../types.ts";

/**
 * Puts `data` into `file`, so that whoever reads it finds the old text or the new one, whole, also
 * after kill -9 and on a full disk. A link stays one. The caller holds the lock.
 *
 * conf writes a file beside it, which takes its place only when all of it is there: conf itself
 * takes a short write for the whole, and writes in place when SNAP is set.
 * Throws an io Failure that names the file.
 */
export async function writeProfileFile(file: string, data: ProfileData): Promise<void> {
  try {
    const target = resolveLinks(file);
    const next = `${target}.next`;
    removeLeftovers(next);
    const written = await writeNext(next, data);
    if (readFileSync(next, "utf8") !== written) throw new Error("not all of it could be written");
    renameSync(next, target);
  } catch (error) {
    throw ioFailure(`the profile file ${file} can't be written: ${errorMessage(error)}`, error);
  }
}

/** Writes `data` to the new file `next`, and answers the text that should be in it. */
async function writeNext(next: string, data: ProfileData): Promise<string> {
  let text = "";
  const conf = await openConf(next, (value) => (text = serialize(value)));
  conf.store = data;
  return text;
}

/** Removes what writers that were killed have left of `next`, and of conf's own file beside it. */
function removeLeftovers(next: string): void {
  const folder = path.dirname(next);
  const name = path.basename(next);
  for (const entry of readdirSync(folder))
    if (entry === name || entry.startsWith(`${name}.tmp-`))
      rmSync(path.join(folder, entry), { force: true });
}
