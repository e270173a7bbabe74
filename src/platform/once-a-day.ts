import { hash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { writePrivateFile } from "./private-files.ts";

const dayMs = 24 * 60 * 60_000;

/** Returns true once in 24 hours for each `text`, by a file in `folder`; `otherwise` if none can be made. */
export function claimOncePerDay(
  folder: string,
  text: string,
  now: number,
  otherwise = true,
): boolean {
  const file = path.join(folder, hash("sha256", text).slice(0, 16));
  try {
    const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(now - last) < dayMs) return false;
    writePrivateFile(file, "", now);
    return true;
  } catch {
    return otherwise;
  }
}
