import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeMachine } from "../../src/platform/machine.ts";
import type { SegmentPaths } from "../../src/rate-limiter/log/files/segment-paths.ts";
import { SharedFileLog } from "../../src/rate-limiter/log/files/shared-file-log.ts";
import { bytesIn, fileOf, latestOf, namesIn, newFiles } from "./support/files.ts";

const script = fileURLToPath(new URL("./support/writer.ts", import.meta.url));

/** Starts a process that works with a log. */
function startWriter({ folder, name }: SegmentPaths, tag: string, turns: number) {
  const child = spawn(process.execPath, [script, folder, name, tag, `${turns}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const untilIt = (holds: () => boolean): Promise<void> =>
    until(() => {
      if (child.exitCode !== null) throw new Error(`${tag} ended with ${child.exitCode}`);
      return holds();
    });
  return {
    child,
    /** How many rounds it has reported. */
    turns: () => (lines.length === 0 ? 0 : 20 * (lines.length - 1) + 1),
    done: () => untilIt(() => lines.includes("done")),
    /** Returns its current state. */
    async ask(): Promise<{ readonly permits: readonly string[]; readonly lost: number }> {
      const { length } = lines;
      child.stdin.write("\n");
      await untilIt(() => lines.length > length);
      return JSON.parse(lines.at(-1) ?? "");
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(2);
}

describe("many processes with one log", () => {
  const turns = 150;

  it("reach the same state, even if some are killed and one sleeps over rotations", async () => {
    const files = newFiles();
    const tags = Array.from({ length: 15 }, (_, n) => `w${n}`);
    const survivors = tags.map((tag) => startWriter(files, tag, turns));
    const killed = ["k0", "k1", "k2"].map((tag) => startWriter(files, tag, 1_000_000));
    const [sleeper] = survivors;
    if (sleeper === undefined) throw new Error("no writer");

    await until(() => sleeper.turns() > 0);
    sleeper.child.kill("SIGSTOP");
    const asleepAt = latestOf(files);
    const deaths = killed.map(async (writer, n) => {
      await until(() => writer.turns() > 20 * (n + 1));
      writer.child.kill("SIGKILL");
      // All of its output has been read by then, however busy this process is.
      await once(writer.child, "close");
    });
    await until(() => latestOf(files) > asleepAt + 2);
    sleeper.child.kill("SIGCONT");
    await Promise.all([...deaths, ...survivors.map(({ done }) => done())]);

    const [first, ...rest] = await Promise.all(survivors.map((writer) => writer.ask()));
    // In the order that all see: a permit that stayed open is never lost or moved.
    for (const known of rest) expect(known).toEqual(first);
    const kept = first?.permits.filter((id) => id.includes("+")) ?? [];
    const all = tags.flatMap((tag) => [0, 1, 2, 3].map((turn) => `${tag}+${turn}`));
    expect(kept.toSorted()).toEqual(all.toSorted());
    for (const tag of tags) {
      const own = kept.filter((id) => id.startsWith(`${tag}+`));
      expect(own).toEqual(own.toSorted());
    }
    // Everything that the survivors ended, and what the killed ones had time for, each once.
    const least = killed.reduce((sum, writer) => sum + writer.turns(), 0);
    const counted = (first?.lost ?? 0) - survivors.length * turns;
    expect(counted).toBeGreaterThanOrEqual(least);
    expect(counted).toBeLessThan(least + killed.length * 100);

    const machine = makeMachine(process, () => performance.now());
    const now = () => ({ boot: machine.bootId(), uptime: machine.uptime(), wall: Date.now() });
    const log = new SharedFileLog(files, now);
    const late = log.state;
    expect({ permits: [...late.permits.keys()], lost: late.uncounted.count }).toEqual(first);
    const latest = latestOf(files);
    expect(latest).toBeGreaterThan(10);
    // A process that was killed after creating a file may have left older records to the creator of the next.
    while (latestOf(files) === latest) {
      log.append({ stamp: now(), event: { kind: "uncounted", count: 0 } });
    }
    expect(namesIn(files)).toHaveLength(2);
    expect(bytesIn(files)).toBeLessThan(200_000);
    expect(existsSync(fileOf(files, 1))).toBe(false);
  });
});
