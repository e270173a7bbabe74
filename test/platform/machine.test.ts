import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeMachine } from "../../src/platform/machine.ts";

const machine = makeMachine(process, () => performance.now());

describe("a process", () => {
  it("is alive, or not", async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const pid = Number(child.pid);
    expect([process.pid, 1, pid].map((id) => machine.isAlive(id))).toEqual([true, true, true]);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(machine.isAlive(pid)).toBe(false);
  });

  it.runIf(process.platform === "linux")(
    "is not alive if it is dead but not yet reaped by its parent",
    async () => {
      // The shell is replaced by a program that does not wait for children.
      const parent = spawn("sh", ["-c", "sleep 0.01 & echo $!; exec sleep 60"]);
      onTestFinished(() => void parent.kill());
      const [text] = await once(parent.stdout, "data");
      const pid = Number(text);
      const state = () => readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0];
      await expect.poll(state).toBe("Z");
      expect(() => process.kill(pid, 0)).not.toThrow();
      expect(machine.isAlive(pid)).toBe(false);
    },
  );
});

describe("the start of a process", () => {
  it.runIf(process.platform === "linux")("is the same for one process only", async () => {
    const own = machine.startOf(process.pid);
    expect(own).toMatch(/^\d+$/);
    expect(machine.startOf(process.pid)).toBe(own);
    await setTimeout(20);
    const child = spawn("sleep", ["60"]);
    onTestFinished(() => void child.kill());
    await once(child, "spawn");
    expect(Number(machine.startOf(Number(child.pid)))).toBeGreaterThan(Number(own));
  });

  it("is empty if there is none", () => {
    expect(machine.startOf(2 ** 31 - 1)).toBe("");
  });
});

describe("the time since the machine was started", () => {
  it("is that of the system, and advances between two readings", () => {
    let now = 0;
    const counted = makeMachine(process, () => now);
    const first = counted.uptime();
    expect(first).toBeLessThanOrEqual(uptime() * 1000);
    expect(first).toBeGreaterThan(uptime() * 1000 - 5000);
    now = 100;
    expect(counted.uptime()).toBe(first + 100);
    now = 3_600_000;
    expect(counted.uptime()).toBeLessThan(first + 60_000);
  });

  it.each([
    ["linux", 10],
    ["win32", 16],
    ["darwin", 1000],
    ["freebsd", 1000],
  ] as const)("of %s ticks every %i ms", (platform, tickMs) => {
    const source = { pid: 1, kill: () => true as const, platform };
    expect(makeMachine(source, () => 0).tickMs).toBe(tickMs);
  });
});
