import { uptime } from "node:os";
import { SharedFileLog } from "../../../src/rate-limiter/log/files/shared-file-log.ts";

// Prints how many ms it takes to open the log with the given folder and name.
const [folder = "", name = ""] = process.argv.slice(2);
const now = () => ({ boot: "", uptime: uptime() * 1000, wall: Date.now() });
now();
const start = performance.now();
const log = new SharedFileLog({ folder, name }, now);
const ms = performance.now() - start;
if (log.state.permits.size === 0) throw new Error("nothing was replayed");
console.log(ms);
