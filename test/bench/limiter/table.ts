import { doRun, type Run, type RunResult } from "./processes.ts";

const columns = [
  ["requests", ({ requests }) => requests],
  ["refused", ({ refused }) => refused],
  ["inside", ({ inside }) => inside],
  ["s", ({ totalMs }) => (totalMs / 1000).toFixed(1)],
  ["of least", (result) => slowness(result).toFixed(2)],
  ["twice", ({ twice }) => twice],
  ["missing", ({ missing }) => missing],
] as const satisfies readonly (readonly [string, (result: RunResult) => number | string])[];

const nameWidth = 31;
const width = 9;

/** The header of the table. */
export const tableHead = `refused: 429s; inside: requests inside an announced Retry-After; twice, missing: animals added twice,
or not there though their process ended with 0; ends: exit codes

${"".padEnd(nameWidth)}${columns.map(([title]) => title.padStart(width)).join("")}  ends`;

/** Does the work once, prints the line of the table, and returns which bounds it missed. */
export async function judge(
  run: Run,
  shortfalls: (result: RunResult, run: Run) => readonly string[],
): Promise<readonly string[]> {
  const result = await doRun(run);
  const cells = columns.map(([, cell]) => String(cell(result)).padStart(width));
  const ends = [...result.outcomes].map(([outcome, count]) => `${outcome}: ${count}`);
  console.log(`${run.name.padEnd(nameWidth)}${cells.join("")}  ${ends.join(", ")}`);
  return shortfalls(result, run).map((text) => `${run.name}: ${text}`);
}

/** Returns what is wanted of a run: nothing refused, nothing during a wait, all done in time, and as many killed as asked. */
export function allWanted(maxOfLeast: number): Parameters<typeof judge>[1] {
  return (result, { kills }) => {
    const { refused, inside, outcomes, twice, missing } = result;
    const killed = outcomes.get("killed") ?? 0;
    return [
      ...(refused === 0 ? [] : [`${refused} refused`]),
      ...(inside === 0 ? [] : [`${inside} inside a Retry-After`]),
      ...(slowness(result) < maxOfLeast
        ? []
        : [`${slowness(result).toFixed(2)} of the least time`]),
      ...failures(result),
      ...(killed === kills ? [] : [`${killed} killed, not ${kills}`]),
      ...(twice + missing === 0 ? [] : [`${twice} added twice, ${missing} missing`]),
    ];
  };
}

/** Returns which processes failed that were not killed. */
export function failures({ outcomes }: RunResult): readonly string[] {
  return [...outcomes]
    .filter(([outcome]) => outcome !== 0 && outcome !== "killed")
    .map(([outcome, count]) => `${count} ended with ${outcome}`);
}

const slowness = ({ totalMs, leastMs }: RunResult): number => totalMs / leastMs;
