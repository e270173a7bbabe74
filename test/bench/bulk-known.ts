import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addressHash, openJournal } from "../../src/imports/journal/open.ts";
import { Fingerprints } from "../../src/imports/known/fingerprints.ts";
import { rowsFile, writeRowsFile } from "../../src/imports/known/rows-file.ts";
import { benchEnv, benchFolder, runProgram, startBulkStore, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 1_000_000;
const mostMb = 150;

/** Compares a million rows with a million known ones, all but one equal, and measures the memory. */
export async function measureKnown(): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const format of ["ndjson", "csv"] as const) {
    const { folder, remove } = benchFolder();
    try {
      missed.push(...(await measureFormat(format, folder)));
    } finally {
      remove();
    }
  }
  return missed;
}

async function measureFormat(format: "ndjson" | "csv", folder: string): Promise<readonly string[]> {
  const store = await startBulkStore(folder, ["enterprise"]);
  try {
    const file = format === "csv" ? writeCsv(folder) : writePets(folder, rows);
    appendFileSync(file, format === "csv" ? "Rex,1,\n" : '{"name":"Rex","categoryId":1}\n');
    recordRun(path.join(folder, ".local/state/pets/bulk"), new URL(store.baseUrl));
    const env = benchEnv(folder, {
      PETS_BASE_URL: store.baseUrl,
      PETS_API_KEY: store.keys[0] ?? "",
    });
    const run = await runProgram([...petsCommand, "add", "--from", file, "--only-new"], { env });
    const { pets } = await store.state();
    console.log(
      `${rows} rows of ${format} beside ${rows} known ones: ended with ${run.code}, ${pets} added, ` +
        `${(run.ms / 1000).toFixed(1)} s, at most ${run.peakMb.toFixed(0)} MB`,
    );
    const isMet = run.code === 0 && pets === 1 && !(run.peakMb >= mostMb);
    return isMet ? [] : [`${rows} rows of ${format} beside known ones in under ${mostMb} MB`];
  } finally {
    await store.stop();
  }
}

/** Writes the same animals as `writePets`, as CSV. */
function writeCsv(folder: string): string {
  const file = path.join(folder, "pets.csv");
  const lines = Array.from({ length: rows }, (_, at) => `Pet ${at + 1},${at + 1},available\n`);
  writeFileSync(file, `name,categoryId,status\n${lines.join("")}`);
  return file;
}

/** Records a run of another file that added all the rows. */
function recordRun(folder: string, baseUrl: URL): void {
  const name = "0".repeat(32);
  const input = "other.ndjson";
  const journal = openJournal({ folder, name, rows, key: name, input, limits: () => ({}) });
  const fingerprints = new Fingerprints();
  for (let row = 0; row < rows; row += 1) {
    const number = row + 1;
    fingerprints.add({
      name: `Pet ${number}`,
      categoryId: BigInt(number),
      status: "available",
    });
    journal.recordSend(row);
    journal.recordOutcome(row, "added", BigInt(number));
  }
  journal.close();
  writeRowsFile(rowsFile(folder, name), { address: addressHash(baseUrl), input }, fingerprints);
}
