import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rolldown } from "rolldown";
import {
  segmentPath,
  type SegmentPaths,
} from "../../../src/rate-limiter/log/files/segment-paths.ts";
import { SharedFileLog } from "../../../src/rate-limiter/log/files/shared-file-log.ts";
import type { LimiterEvent, Timestamp } from "../../../src/rate-limiter/rules/records.ts";
import { median } from "../cpu.ts";

/** How many requests are in flight when the file begins: its snapshot contains them. */
const onTheirWay = 100;
const rounds = 15;
const wantedMs = 5;

/** Times the replay of the largest file that the limiter allows, each time in a new process. */
export async function measureReplay(): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-replay-"));
  try {
    writeFileSync(path.join(folder, "once.cjs"), await builtScript());
    const full = fullFile({ folder, name: "grown" });
    const [, , , ...times] = Array.from({ length: rounds + 3 }, () => {
      const files = { folder, name: "full" };
      writeFileSync(segmentPath(files, 1), full);
      return replayOnce(files);
    });
    const ms = median(times);
    console.log(`Replay of ${full.length} bytes, with ${onTheirWay} requests on their way, in a process that has
just started: ${ms.toFixed(2)} ms, median of ${rounds} (wanted: under ${wantedMs})`);
    return ms < wantedMs ? [] : [`replay: ${ms.toFixed(2)} ms`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Builds the script that replays once, in the same way as the program. */
async function builtScript(): Promise<string> {
  const build = await rolldown({
    input: path.join(import.meta.dirname, "replay-once.ts"),
    platform: "node",
  });
  const { output } = await build.generate({
    format: "cjs",
    minify: true,
    intro: 'require("node:v8").setFlagsFromString("--lazy");',
  });
  return output[0].code;
}

/** Returns the content of a file with many requests in its snapshot, just before it is sealed. */
function fullFile(files: SegmentPaths): Buffer {
  let uptime = 0;
  const now = (): Timestamp => ({ boot: "", uptime: (uptime += 1), wall: uptime });
  const log = new SharedFileLog(files, now);
  const append = (event: LimiterEvent): void => log.append({ stamp: now(), event });
  const limits = { limit: 1000, remaining: 900, reset: 1e12, endsIn: 60_000 };
  const [second, third] = [segmentPath(files, 2), segmentPath(files, 3)];
  let full = Buffer.alloc(0);
  for (let n = 0; !existsSync(third); n += 1) {
    if (existsSync(second)) full = readFileSync(second);
    append({ kind: "reserve", id: `request${n}`, pid: process.pid, lifeMs: 3_600_000 });
    if (n >= onTheirWay) append({ kind: "reply", id: `request${n}`, status: 200, ...limits });
  }
  return full;
}

function replayOnce({ folder, name }: SegmentPaths): number {
  const start = path.join(import.meta.dirname, "replay-start.ts");
  const options = { encoding: "utf8" } as const;
  return Number(spawnSync(process.execPath, [start, folder, name], options).stdout);
}
