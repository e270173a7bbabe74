import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The last commit before the store began to remember requests. */
const commit = "941b1fa";

/**
 * Returns the program of an earlier commit, built from git with its own dependencies; kept in the directory
 * for temporary files, as that takes a minute.
 */
export function buildEarlier(): string {
  const folder = path.join(tmpdir(), `pets-bench-${commit}`);
  const script = path.join(folder, "bin", "pets.js");
  if (existsSync(script)) return script;
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { mode: 0o700 });
  try {
    const archive = execFileSync("git", ["archive", commit], { maxBuffer: 1e9 });
    execFileSync("tar", ["-x", "-C", fresh], { input: archive });
    const options = { cwd: fresh, stdio: "ignore" } as const;
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], options);
    execFileSync("npm", ["run", "build"], options);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  return script;
}
