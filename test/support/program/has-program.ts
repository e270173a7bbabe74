import { accessSync, constants } from "node:fs";
import path from "node:path";

/** Returns whether a program is on the path. If not, prints on standard error that tests are skipped. */
export function hasProgram(name: string): boolean {
  const found = (process.env.PATH ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) console.warn(`skipped: the tests that need ${name}, which is not on the path`);
  return found;
}
