import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const rows = 1_000_000;
const pacedRows = 1000;
const wanted = { recordMicros: 10, replayMs: 5000, replayMb: 64 };

/** What a process took: wall time and CPU time, in ms, and peak memory, in KiB. */
interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
  readonly maxRSS: number;
}

/** Times the journal of a run of a million rows; returns what misses its bound. */
export function measureJournal(): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "pets-journal-"));
  try {
    const bareFolder = path.join(folder, "bare");
    const pacedFolder = path.join(folder, "paced");
    const bare = take("write", bareFolder, 0);
    const none = take("replay", bareFolder, 0);
    const written = take("write", folder, rows);
    const replayed = take("replay", folder, rows);
    const paced = take("paced", pacedFolder, pacedRows);
    const { size } = statSync(path.join(folder, `${"0".repeat(32)}.journal`));
    const recordMicros = ((written.ms - bare.ms) / rows / 2) * 1000;
    const replayMb = (replayed.maxRSS - none.maxRSS) / 1024;
    console.log(`Journal of ${rows} rows, all added, ${(size / 1e6).toFixed(1)} MB:
${recordMicros.toFixed(1)} µs a record (wanted: under ${wanted.recordMicros}); ${(written.cpuMs / 1000).toFixed(1)} s of a processor in all
${replayed.ms.toFixed(0)} ms to replay it (wanted: under ${wanted.replayMs}), with ${replayMb.toFixed(0)} MB more than none takes (wanted: under ${wanted.replayMb})
${((paced.ms - bare.ms) / pacedRows).toFixed(2)} ms a row where limits set the pace, so that each send is synced`);
    return [
      ...(recordMicros < wanted.recordMicros ? [] : [`journal: ${recordMicros.toFixed(1)} µs`]),
      ...(replayed.ms < wanted.replayMs ? [] : [`journal replay: ${replayed.ms.toFixed(0)} ms`]),
      ...(replayMb < wanted.replayMb ? [] : [`journal replay: ${replayMb.toFixed(0)} MB`]),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function take(what: string, folder: string, count: number): Taken {
  const script = path.join(import.meta.dirname, "bulk-journal-once.ts");
  const run = spawnSync(process.execPath, [script, what, folder, `${count}`], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Taken;
}

if (import.meta.main) measureJournal();
