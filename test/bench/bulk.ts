import { measureBeside } from "./bulk-beside.ts";
import { measureHistories } from "./bulk-histories.ts";
import { measureKills } from "./bulk-kill.ts";
import { measureMemory } from "./bulk-memory.ts";
import { measureMillion } from "./bulk-million.ts";
import { measurePowerCuts } from "./bulk-power.ts";
import { measureRate } from "./bulk-rate.ts";
import { measureStarts } from "./bulk-starts.ts";
import { measureStops } from "./bulk-stops.ts";

// The measurements by name; each returns what misses its bound.
const parts = {
  rate: measureRate,
  memory: measureMemory,
  million: measureMillion,
  beside: measureBeside,
  histories: measureHistories,
  kill: measureKills,
  power: measurePowerCuts,
  starts: measureStarts,
  stops: measureStops,
};

const words = process.argv.slice(2);
const unknown = words.filter((word) => !Object.hasOwn(parts, word));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);

const missed: string[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (words.length > 0 && !words.includes(name)) continue;
  missed.push(...(await measure()));
  console.log();
}
console.log(missed.length === 0 ? "All as wanted." : `Not as wanted:\n${missed.join("\n")}`);
process.exitCode = missed.length === 0 ? 0 : 1;
