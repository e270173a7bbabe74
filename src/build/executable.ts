import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

/** By this mark Node finds out that a program was put into it (Node's manual, Single executable applications). */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const resource = "NODE_SEA_BLOB";

/**
 * Makes of this Node an executable that runs the script `main`, with `assets` (name → path) in it; answers
 * its path, which is in the folder `work`. Throws where a step fails.
 */
export function makeExecutable(
  work: string,
  main: string,
  assets: Readonly<Record<string, string>>,
): string {
  const config = path.join(work, "sea.json");
  const output = path.join(work, "sea.blob");
  writeFileSync(
    config,
    JSON.stringify({
      main,
      output,
      assets,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // What NODE_OPTIONS says is meant for another Node.
      execArgvExtension: "none",
    }),
  );
  const executable = path.join(work, "pets");
  run(process.execPath, ["--experimental-sea-config", config]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  strip(executable);
  const postject = path.join(path.dirname(require.resolve("postject")), "cli.js");
  run(process.execPath, [postject, executable, resource, output, "--sentinel-fuse", fuse]);
  return executable;
}

/** Takes out the names for debuggers, a seventh of it; without the program for this it stays as it is. */
function strip(file: string): void {
  try {
    run("strip", [file]);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/** Runs a program, which tells something only where it fails. */
function run(file: string, words: readonly string[]): void {
  execFileSync(file, words, { stdio: "pipe" });
}
