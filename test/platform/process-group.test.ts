import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { endGroup } from "../../src/platform/process-group.ts";

const gone = (): never => {
  throw Object.assign(new Error("gone"), { code: "ESRCH" });
};

describe("endGroup", () => {
  it("ends a process and its children", async () => {
    const script = 'trap "" TERM; echo ready; sleep 60; sleep 60';
    const child = spawn("sh", ["-c", script], { detached: true });
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    await endGroup(child.pid ?? 0, (id, signal) => process.kill(id, signal), 50);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  it("ignores processes that are gone", async () => {
    await expect(endGroup(1, gone, 0)).resolves.toBeUndefined();
  });
});
