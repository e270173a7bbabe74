// A process that works with a log, `writer.ts <folder> <name> <tag> <turns>`: it reserves a permit and
// ends it, `turns` times, reserves a few that stay, and prints `done`. Then it prints its state for
// each line that it receives.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { makeMachine } from "../../../src/platform/machine.ts";
import { SharedFileLog } from "../../../src/rate-limiter/log/files/shared-file-log.ts";
import type { LimiterEvent } from "../../../src/rate-limiter/rules/records.ts";

const kept = 4;
const lifeMs = 3_600_000;

const [folder = "", name = "", tag = "", turns] = process.argv.slice(2);
const machine = makeMachine(process, () => performance.now());
const now = () => ({ boot: machine.bootId(), uptime: machine.uptime(), wall: Date.now() });
const log = new SharedFileLog({ folder, name }, now);
// Waits for a slow reader, so that everything that it prints before it is killed is read.
const say = (line: string): void => void writeSync(1, `${line}\n`);
const add = (event: LimiterEvent): void => log.append({ stamp: now(), event });

for (let turn = 0; turn < Number(turns); turn += 1) {
  const id = `${tag}-${turn}`;
  add({ kind: "reserve", id, pid: machine.pid, lifeMs });
  add({ kind: "lost", id });
  if (turn % 20 === 0) say(`${turn}`);
}
for (let turn = 0; turn < kept; turn += 1) {
  add({ kind: "reserve", id: `${tag}+${turn}`, pid: machine.pid, lifeMs });
}
say("done");
createInterface({ input: process.stdin }).on("line", () => {
  log.refresh();
  const { permits, uncounted } = log.state;
  say(JSON.stringify({ permits: [...permits.keys()], lost: uncounted.count }));
});
