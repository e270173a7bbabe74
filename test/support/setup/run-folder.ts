import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Gives all tests of a run one folder for temporary files, separate from those of other runs, and removes
 * it with its content at the end.
 */
export function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-run-"));
  // Like the system's own folder: some tests run programs as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
