import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { isSystemError } from "./private-files.ts";

/**
 * The absolute path, without links in it, of the file that the name `file` stands for, whether the
 * file is there or not; its folder has to be. Throws what the file system says.
 */
export function resolveLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!isSystemError(error, "ENOENT")) throw error;
  }
  const folder = realpathSync(path.dirname(file));
  const place = path.join(folder, path.basename(file));
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? resolveLinks(path.resolve(folder, readlinkSync(place))) : place;
}
