import path from "node:path";
import { runProgram, startBench, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 1_000_000;
const mostCheckedMb = 130;
const mostSentMb = 260;

/** Checks a million rows in each format, and sends a million; measures the memory. */
export async function measureMemory(): Promise<readonly string[]> {
  await using bench = await startBench("enterprise");
  const { folder, env } = bench;
  const missed: string[] = [];
  const measure = async (what: string, words: readonly string[], mostMb: number) => {
    const { code, ms, peakMb } = await runProgram([...petsCommand, ...words], env);
    console.log(
      `${what}: ended with ${code}, ${(ms / 1000).toFixed(1)} s, at most ${peakMb.toFixed(0)} MB`,
    );
    if (code !== 0 || peakMb >= mostMb) missed.push(`${what} in under ${mostMb} MB`);
  };
  for (const format of ["ndjson", "json", "csv"] as const) {
    const file = writePets(folder, rows, format);
    const words = ["add", "--from", file, "--dry-run", "-q", "-o", "ndjson"];
    await measure(`${rows} rows of ${format}, checked`, words, mostCheckedMb);
  }
  const file = writePets(folder, rows);
  const words = ["add", "--from", file, "-q", "--results", path.join(folder, "results.csv")];
  await measure(`${rows} rows, sent`, words, mostSentMb);
  return missed;
}
