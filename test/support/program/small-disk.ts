import { spawnSync } from "node:child_process";
import { onTestFinished, type TestContext } from "vitest";
import { temporaryFolder } from "./program.ts";

/** Mounts a small file system at a new directory, and returns it; skips the test where that is not allowed. */
export function smallDisk(size: string, skip: TestContext["skip"]): string {
  const folder = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  if (mounted.status !== 0) skip();
  onTestFinished(() => void spawnSync("umount", ["-l", folder]));
  return folder;
}
