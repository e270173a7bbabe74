import { createReadStream, createWriteStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { benchEnv, benchFolder, runProgram, startBulkStore, writePets } from "./bulk-support.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 1_000_000;
const mostCheckedMb = 110;
const mostSentMb = 160;

/** Checks a million rows in each format, and sends a million; measures the memory. */
export async function measureMemory(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["enterprise"]);
  const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.keys[0] ?? "" });
  const missed: string[] = [];
  const measure = async (what: string, words: readonly string[], mostMb: number) => {
    const { code, ms, peakMb } = await runProgram([...petsCommand, ...words], { env });
    console.log(
      `${what}: ended with ${code}, ${(ms / 1000).toFixed(1)} s, at most ${peakMb.toFixed(0)} MB`,
    );
    if (code !== 0 || peakMb >= mostMb) missed.push(`${what} in under ${mostMb} MB`);
  };
  try {
    const ndjson = writePets(folder, rows);
    const json = await convert(ndjson, "json", ["[\n", ",\n", "\n]\n"], (line) => line);
    const csv = await convert(
      ndjson,
      "csv",
      ["name,categoryId,status\r\n", "\r\n", "\r\n"],
      csvRow,
    );
    for (const file of [ndjson, json, csv]) {
      const words = ["add", "--from", file, "--dry-run", "-q", "-o", "ndjson"];
      await measure(`${rows} rows of ${path.extname(file)}, checked`, words, mostCheckedMb);
    }
    const words = ["add", "--from", ndjson, "-q", "--results", path.join(folder, "results.csv")];
    await measure(`${rows} rows, sent`, words, mostSentMb);
    return missed;
  } finally {
    await store.stop();
    remove();
  }
}

/** Writes a file of another format beside `file`, with what comes before, between and after its rows. */
async function convert(
  file: string,
  ending: string,
  [before = "", between = "", after = ""]: readonly string[],
  row: (line: string) => string,
): Promise<string> {
  const target = file.replace("ndjson", ending);
  const lines = createInterface(createReadStream(file));
  async function* texts() {
    let lead = before;
    for await (const line of lines) {
      yield lead + row(line);
      lead = between;
    }
    yield after;
  }
  await pipeline(Readable.from(texts()), createWriteStream(target));
  return target;
}

function csvRow(line: string): string {
  return Object.values(JSON.parse(line) as Record<string, string>).join(",");
}
