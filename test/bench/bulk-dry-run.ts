import { benchEnv, benchFolder, runProgram, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 1_000_000;
const mostMb = 100;

/** Checks and prints a million rows, and measures the memory. */
export async function measureDryRun(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  try {
    const file = writePets(folder, rows);
    const words = ["add", "--from", file, "--dry-run", "-o", "ndjson"];
    const run = await runProgram([...petsCommand, ...words], { env: benchEnv(folder) });
    console.log(
      `${rows} rows --dry-run: ended with ${run.code}, ${(run.ms / 1000).toFixed(1)} s, ` +
        `at most ${run.peakMb.toFixed(0)} MB`,
    );
    const isMet = run.code === 0 && !(run.peakMb >= mostMb);
    return isMet ? [] : [`${rows} rows in under ${mostMb} MB`];
  } finally {
    remove();
  }
}
