import { spawnSync } from "node:child_process";
import { onTestFinished, type TestContext } from "vitest";
import { temporaryFolder } from "./program.ts";

/** Mounts a small file system at a new directory, and returns it; skips the test where that is not allowed. */
export function smallDisk(size: string, skip: TestContext["skip"]): string {
  const folder = temporaryFolder();
  mounted(["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], folder, skip);
  return folder;
}

/** Runs mount(8), whose mount point is `point`, until the test ends; skips the test where that is not allowed. */
export function mounted(words: readonly string[], point: string, skip: TestContext["skip"]): void {
  if (spawnSync("mount", words).status !== 0) skip();
  onTestFinished(() => void spawnSync("umount", ["-l", point]));
}
