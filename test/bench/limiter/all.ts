import { runFleet } from "./fleet.ts";
import { allWanted, judge, tableHead } from "./table.ts";

// The measurements by name; each returns what misses its bound.
const parts = { processes: runProcesses, fleet: runFleet };
type Part = keyof typeof parts;

const words = process.argv.slice(2);
const unknown = words.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);

const missed: string[] = [];
for (const part of words.length > 0 ? (words as Part[]) : (["processes"] as const)) {
  missed.push(...(await parts[part]()));
  console.log();
}
console.log(missed.length === 0 ? "All as wanted." : `Not as wanted:\n${missed.join("\n")}`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** 90 processes, 24 at a time, on 20 requests per 4 s (`help rate-limits`). */
async function runProcesses(): Promise<readonly string[]> {
  console.log(`90 processes, 24 at a time, on 20 requests per 4 s\n${tableHead}`);
  return [
    ...(await judge({ name: "pets", kills: 0 }, allWanted(1.3))),
    ...(await judge({ name: "pets, 13 killed", kills: 13 }, allWanted(1.3))),
  ];
}
