import type { RunResult } from "./processes.ts";

const columns = [
  ["requests", ({ requests }) => requests],
  ["refused", ({ refused }) => refused],
  ["inside", ({ inside }) => inside],
  ["banned", ({ banned }) => banned],
  ["alone", ({ alone }) => alone],
  ["s", ({ totalMs }) => (totalMs / 1000).toFixed(1)],
  ["least", whenDone(({ leastMs }) => (leastMs / 1000).toFixed(1))],
  ["of least", whenDone(({ totalMs, leastMs }) => (totalMs / leastMs).toFixed(2))],
  ["twice", ({ twice }) => twice],
  ["missing", ({ missing }) => missing],
] as const satisfies readonly (readonly [string, (result: RunResult) => number | string])[];

const nameWidth = 31;
const width = 9;

/** The header of the table. */
export const tableHead = `refused: 429s; inside: requests inside an announced Retry-After; banned: refusals of a banned key;
alone: processes that could not use their limiter's server; twice, missing:
animals added twice, or not there though their process ended with 0; ends: exit codes; least: of the
requests let through (a run is judged by the least of all 90: the killed may take places with them)

${"".padEnd(nameWidth)}${columns.map(([title]) => title.padStart(width)).join("")}  ends`;

/** Returns the line of a run. */
export function tableLine(name: string, result: RunResult): string {
  const cells = columns.map(([, cell]) => String(cell(result)).padStart(width));
  const ends = [...result.outcomes].map(([outcome, count]) => `${outcome}: ${count}`);
  return `${name.padEnd(nameWidth)}${cells.join("")}  ${ends.join(", ")}`;
}

/**
 * Returns which bounds a run missed: nothing refused, nothing during a wait, under `mostOfLeast` of the minimum time, all
 * survivors done, and `kills` killed. Killed processes may have held permits that nobody else can
 * use, so the minimum time is that of all processes.
 */
export function shortfalls(result: RunResult, kills: number, mostOfLeast = 1.3): readonly string[] {
  const { refused, inside, outcomes, twice, missing } = result;
  const slowness = result.totalMs / result.leastOfAllMs;
  const killed = outcomes.get("killed") ?? 0;
  const checks: readonly (readonly [boolean, string])[] = [
    [refused === 0, `${refused} refused`],
    [inside === 0, `${inside} inside a Retry-After`],
    [slowness < mostOfLeast, `${slowness.toFixed(2)} of the least time`],
    ...failures(result).map((text) => [false, text] as const),
    [killed === kills, `${killed} killed, not ${kills}`],
    [twice + missing === 0, `${twice} added twice, ${missing} missing`],
  ];
  return checks.filter(([isMet]) => !isMet).map(([, text]) => text);
}

function failures({ outcomes }: RunResult): readonly string[] {
  return [...outcomes]
    .filter(([outcome]) => outcome !== 0 && outcome !== "killed")
    .map(([outcome, count]) => `${count} ended with ${outcome}`);
}

function whenDone(cell: (result: RunResult) => string): (result: RunResult) => string {
  return (result) => (failures(result).length === 0 ? cell(result) : "-");
}
