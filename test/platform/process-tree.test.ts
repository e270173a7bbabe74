import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { descendants, endProcesses, type ProcessIds } from "../../src/platform/process-tree.ts";

const gone = (): never => {
  throw Object.assign(new Error("gone"), { code: "ESRCH" });
};

describe("descendants", () => {
  const all: readonly ProcessIds[] = [
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 2],
    [6, 1],
  ];

  it.each([
    [1, [2, 3, 4, 5, 6]],
    [2, [3, 4, 5]],
    [4, []],
    [9, []],
  ])("of %i are %j", (pid, expected) => {
    expect(new Set(descendants(pid, all))).toEqual(new Set(expected));
  });
});

describe("endProcesses", () => {
  it.each([true, false])("ends a process and its children, as a group: %s", async (isGroup) => {
    const script = 'trap "" TERM; echo ready; sleep 60; sleep 60';
    const child = spawn("sh", ["-c", script], { detached: isGroup });
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    const { pid = 0 } = child;
    await endProcesses({ pid, isGroup }, (id, signal) => process.kill(id, signal), 50);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  it("ignores processes that are gone", async () => {
    await expect(endProcesses({ pid: 1, isGroup: true }, gone, 0)).resolves.toBeUndefined();
  });
});
