import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openStage } from "../../src/imports/database/compare.ts";
import { ImportDatabase } from "../../src/imports/database/database.ts";
import { beginImport, readyImport } from "../../src/imports/database/import-records.ts";
import { RowRecorder } from "../../src/imports/database/rows.ts";
import { placeOf } from "../../src/imports/run/prepare.ts";
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
    await recordRun(path.join(folder, ".local/state/pets"), new URL(store.baseUrl));
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

/** Records an import of another file that added all the rows. */
async function recordRun(state: string, baseUrl: URL): Promise<void> {
  const database = new ImportDatabase(state, "write");
  const stage = openStage(database);
  for (let index = 0; index < rows; index += 1) {
    const number = index + 1;
    const pet = { name: `Pet ${number}`, categoryId: BigInt(number), status: "available" as const };
    stage.add([{ index, line: number, pet }]);
  }
  stage.end();
  const record = beginImport(database, {
    ...placeOf("other", baseUrl),
    name: "other.ndjson",
    host: baseUrl.host,
    rows,
    invalid: 0,
    started: Date.now(),
  });
  readyImport(database, record, { isAgain: false });
  const recorder = new RowRecorder(database, record, { now: Date.now }, () => ({}));
  for (let first = 0; first < rows; first += 1000) {
    const batch = Array.from({ length: Math.min(1000, rows - first) }, (_none, place) => {
      const index = first + place;
      const id = BigInt(index + 1);
      return recorder.recordChange({ row: { index }, from: "unsent", to: "added", id });
    });
    await Promise.all(batch);
  }
  database.close();
}
