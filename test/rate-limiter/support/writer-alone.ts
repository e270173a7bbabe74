// A process that adds records to a log until it can't: `writer-alone.ts <folder> <name> <uptime>`.
import { SharedFileLog } from "../../../src/rate-limiter/log/files/shared-file-log.ts";
import { record, reserve, stamp } from "./records.ts";

const [folder = "", name = "", uptime] = process.argv.slice(2);
const now = Number(uptime);
const log = new SharedFileLog({ folder, name }, () => stamp(now));
let added = 0;
try {
  for (;;) {
    log.append(record([now, reserve(`r${added}`)]));
    added += 1;
  }
} catch (error) {
  console.log(`added ${added} records, then: ${String(error)}`);
}
