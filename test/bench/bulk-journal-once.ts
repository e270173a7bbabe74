import { openJournal } from "../../src/imports/journal/open.ts";
import { readJournal } from "../../src/imports/journal/read.ts";

// Prints as JSON what one process takes for `bulk-journal-once.ts <what> <folder> <rows>`: `write` all
// records of a run without limits, `paced` those of one whose limits set the pace, `replay` them.
const [what = "", folder = "", count = ""] = process.argv.slice(2);
const rows = Number(count);
const place = { folder, name: "0".repeat(32), rows, key: "0".repeat(32) };
const start = performance.now();
if (what === "replay") {
  const { added, unsent } = readJournal(place)?.counts ?? { added: 0, unsent: 0 };
  if (added + unsent !== rows) throw new Error("not all was replayed");
} else {
  const limits = what === "paced" ? { limit: 1 } : {};
  const journal = openJournal({ ...place, input: "rows.csv", limits: () => limits });
  for (let row = 0; row < rows; row += 1) {
    journal.recordSend(row);
    journal.recordOutcome(row, "added", BigInt(row));
  }
  journal.close();
}
const ms = performance.now() - start;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
console.log(JSON.stringify({ ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, maxRSS }));
