import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isSystemError } from "../../../src/core/errors.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** Builds the program once before the tests, so that none of them runs an old one. */
export async function setup(): Promise<void> {
  try {
    await import("../../../src/build/build.ts");
  } catch (error) {
    const isReadOnly = isSystemError(error, "EROFS") || isSystemError(error, "EACCES");
    if (!isReadOnly || isOutdated()) throw error;
    console.warn("the checkout is read-only: the tests run the program as it was built before");
  }
}

/** Returns whether a source has changed since the program was built. */
function isOutdated(): boolean {
  const changedAt = (file: string): number => statSync(path.join(root, file)).mtimeMs;
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(...sources.map((file) => changedAt(path.join("src", file))));
  return newest > changedAt("dist/main.cjs");
}
