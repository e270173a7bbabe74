import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { script } from "./program.ts";

/** A user id that nobody on this machine has. */
const id = 54_321;

/** The prefix of a command that runs it as another user, whom the system does not know. */
export const asOther = ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"] as const;

/** A folder for temporary files that the other user can enter; undefined without one, or without another user. */
const reachable = [tmpdir(), "/tmp", "/var/tmp"].find((folder) => {
  const [setpriv, ...words] = asOther;
  return spawnSync(setpriv, [...words, "test", "-x", folder]).status === 0;
});

/** Whether the tests can run programs as another user: as root, with `setpriv`. */
export const canBeOther = reachable !== undefined;

/** Where to make folders that every user can reach: the folder for temporary files, if it can be reached. */
export const reachableTmpdir = reachable ?? tmpdir();

/** Makes an empty folder that every user can enter, until the end of the test. */
function folderForAll(): string {
  const folder = mkdtempSync(path.join(reachableTmpdir, "pets-all-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes an empty folder that belongs to the other user, until the end of the test. */
export function folderOfOther(): string {
  const folder = folderForAll();
  chownSync(folder, id, id);
  return folder;
}

/** Copies this Node so that every user can run it: the checkout may be accessible only to its owner. */
export function nodeForAll(): string {
  const node = path.join(folderForAll(), "node");
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  return node;
}

/** Returns a command that runs the built program as the other user. */
export function petsAsOther(): [string, ...string[]] {
  return [...asOther, nodeForAll(), scriptForAll()];
}

/** Copies the built program so that every user can run it. */
function scriptForAll(): string {
  const folder = folderForAll();
  const root = path.dirname(path.dirname(script));
  for (const name of ["bin", "dist", "package.json"]) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  spawnSync("chmod", ["-R", "go=rX", folder]);
  return path.join(folder, "bin/pets.js");
}
