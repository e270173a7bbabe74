import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Gives all tests of a run one folder for temporary files, away from those of other runs, and removes
 * it at the end with whatever was left in it.
 */
export function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-run-"));
  // As the system's own: some tests run programs as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
