import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { script } from "./program.ts";

/** Nobody on this machine has this id. */
const id = 54_321;

/** The words before a command that make another user run it, whom the system does not know. */
export const asOther = ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"] as const;

/** A folder for temporary files that the other user can enter; undefined where there is none, or no other user. */
const reachable = [tmpdir(), "/tmp", "/var/tmp"].find((folder) => {
  const [setpriv, ...words] = asOther;
  return spawnSync(setpriv, [...words, "test", "-x", folder]).status === 0;
});

/** Whether the tests can run programs as another user: as root, where `setpriv` is there. */
export const canBeOther = reachable !== undefined;

/** Where to make folders that every user is to reach: that of temporary files, where it can be reached. */
export const reachableTmpdir = reachable ?? tmpdir();

/** An empty folder that every user can enter, and that is removed when the test ends. */
function folderForAll(): string {
  const folder = mkdtempSync(path.join(reachableTmpdir, "pets-all-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty folder that belongs to the other user, until the test ends. */
export function folderOfOther(): string {
  const folder = folderForAll();
  chownSync(folder, id, id);
  return folder;
}

/** A copy of this Node that every user can run: the checkout may be for its owner alone. */
export function nodeForAll(): string {
  const node = path.join(folderForAll(), "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  return node;
}

/** A copy of the built program that every user can run. */
export function scriptForAll(): string {
  const folder = folderForAll();
  const root = path.dirname(path.dirname(script));
  for (const name of ["bin", "dist", "package.json"]) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  spawnSync("chmod", ["-R", "go=rX", folder]);
  return path.join(folder, "bin/pets.js");
}
