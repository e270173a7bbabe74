// A process that runs `journal-writer.ts <folder> <name> <rows> <key>`: it takes each row that is
// unsent through a journal, as a run would, and appends its number to the file `<folder>/sent`, the
// service of this test. It prints each outcome once it is recorded, a Failure, and its own end.
import { appendFileSync } from "node:fs";
import path from "node:path";
import { openJournal } from "../../../src/imports/journal/open.ts";
import { Failure } from "../../../src/core/errors.ts";

const [folder = "", name = "", count = "", key = ""] = process.argv.slice(2);
const rows = Number(count);

try {
  const journal = openJournal({ folder, name, rows, key, input: "", limits: () => ({}) });
  for (let row = 0; row < rows; row += 1) {
    if (journal.state(row) !== "unsent") continue;
    journal.recordSend(row);
    appendFileSync(path.join(folder, "sent"), `${row}\n`);
    journal.recordOutcome(row, "added", BigInt(row));
    console.log(`added ${row}`);
  }
  journal.finish();
  console.log("finished");
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.log(`${error.kind}: ${error.message}`);
}
