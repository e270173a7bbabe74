import { execFile, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type Finished, temporaryFolder } from "./program.ts";

const run = promisify(execFile);

/** The prefix of a command that cuts it off from every network; empty if this machine can't do that. */
const offTheNet = [["unshare", "-n"], ["unshare", "-rn"], []].find(
  ([file, ...args]) =>
    file === undefined || spawnSync(file, [...args, "true"], { stdio: "ignore" }).status === 0,
);

/**
 * Returns the environment of a user who has this Node, an empty home, and npm with a registry that can't be
 * reached; both are in `folder`. Nothing of the npm that runs the tests is in it.
 */
export function freshEnv(folder = temporaryFolder()): Record<string, string> {
  const [HOME, TMPDIR] = [path.join(folder, "home"), path.join(folder, "tmp")];
  mkdirSync(HOME, { recursive: true });
  mkdirSync(TMPDIR, { recursive: true });
  return {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ""}`,
    HOME,
    TMPDIR,
    TZ: "UTC",
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
  };
}

/** Runs a program (`npm`, `npx`) to its end, without a network if the system can do that. */
export async function runOffline(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<Finished> {
  const [file = "", ...args] = [...(offTheNet ?? []), ...words];
  try {
    const { stdout, stderr } = await run(file, args, { cwd, env });
    return { code: 0, signal: null, stdout, stderr };
  } catch (error) {
    const { code = null, signal = null, stdout = "", stderr = "" } = Object(error);
    return { code, signal, stdout, stderr };
  }
}
