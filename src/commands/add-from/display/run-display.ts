import type { RowOutcome } from "../../../bulk/types.ts";
import type { PetsApiOptions } from "../../../client/types.ts";
import type { NewPet } from "../../../core/pet.ts";
import type { Settings } from "../../../config/types.ts";
import { isColored } from "../../../output/color.ts";
import { isStale } from "../../../output/limits.ts";
import { type StatusLine, supportsStatusLine } from "../../../output/status-line.ts";
import { createSleeper } from "../../../output/wait-notice.ts";
import type { Clock, Environment, Output } from "../../../platform/io.ts";
import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import type { Context } from "../../context.ts";
import { openNewPetText, type PetWidths } from "./dry-run-format.ts";
import { forecastLines } from "./forecast.ts";
import { openProgress } from "./progress.ts";
import { delimitedLines, idsOnly, jsonLines, type RowLines, tableLines } from "./row-format.ts";
import { BufferedRowWriter } from "./row-writer.ts";

/** What of the settings decides how a run is shown. */
type DisplaySettings = Pick<
  Settings,
  "format" | "formatAsked" | "quiet" | "verbose" | "color" | "maxWaitMs"
>;

/** What it takes to show a run. */
export interface BulkScreenOptions {
  /** Of one terminal, where they are terminals: see `coordinateTerminal`. */
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly env: Environment;
  readonly settings: DisplaySettings;
  /** How many rows the input has. */
  readonly rows: number;
  /** How many of them are to end in this run: to be sent, or told again. */
  readonly left: number;
  /** Of the whole input, measured when it was checked. */
  readonly widths: PetWidths;
  /** What is known of the limits. */
  readonly view: () => LimiterStatus;
}

/** Shows a run while it lasts: its rows on standard output, how far it is on standard error. */
export interface BulkScreen {
  /**
   * Shows how a row ended, within some 50 ms. Nothing more may be sent while a promise that it
   * answers is open; it rejects where standard output can't be written.
   */
  report(end: RowOutcome): Promise<void> | void;
  /** Where waits are shown; undefined where they are told in lines of their own. */
  readonly waitLine: StatusLine | undefined;
  /** Shows what is left to show, and wipes the bar; `isDone` where the run did not reach its end. */
  close(isStopped: boolean): Promise<void>;
  /** Wipes the bar, and shows nothing more of how far it is. */
  dispose(): void;
}

/** Begins to show a run; the forecast at once, or as soon as the first reply told of the limits. */
export async function openBulkScreen(options: BulkScreenOptions): Promise<BulkScreen> {
  const { stderr, env, settings, left } = options;
  const printer = new BufferedRowWriter({ ...options, lines: await linesFor(options) });
  let ended = 0;
  const forecast = forecastOnce(options);
  forecast(left);
  const live = supportsStatusLine(stderr, env) && !settings.verbose;
  const progress = settings.quiet
    ? undefined
    : openProgress({ ...options, live, ended: () => ended });
  return {
    waitLine: progress?.waitLine,
    report(end) {
      ended += 1;
      forecast(left - ended);
      return printer.tell(end);
    },
    async close(isStopped) {
      try {
        await printer.close(!isStopped);
      } finally {
        progress?.close();
      }
    },
    dispose: () => progress?.close(),
  };
}

/** After how many rows nobody looks for limits any more: the service tells of none. */
const maxPolls = 10;

/** Tells the forecast once, when the limits are known. */
function forecastOnce({ view, stderr, settings }: BulkScreenOptions): (left: number) => void {
  let looks = settings.quiet ? maxPolls : 0;
  return (left) => {
    if (looks >= maxPolls) return;
    const now = view();
    looks = now.seenAt === undefined || isStale(now) ? looks + 1 : maxPolls;
    const lines = forecastLines(now, left, settings.maxWaitMs);
    if (lines.length > 0) void stderr.write(lines.map((line) => `${line}\n`).join(""));
  };
}

async function linesFor(options: BulkScreenOptions): Promise<RowLines> {
  const { settings, stdout, widths, left } = options;
  const { format, formatAsked, quiet } = settings;
  if (quiet && !formatAsked) return idsOnly;
  if (format === "json" || format === "ndjson") return jsonLines;
  if (format !== "table") return delimitedLines(format, stdout.isTTY);
  return tableLines({ widths, count: left, target: tableTarget(options) });
}

/** Where a table of animals goes. */
function tableTarget({
  stdout,
  env,
  settings,
}: Pick<BulkScreenOptions, "stdout" | "env" | "settings">) {
  const { isTTY, columns } = stdout;
  const width = isTTY && columns !== undefined ? { width: columns } : {};
  return { ...width, color: isColored(env, isTTY, settings.color) };
}

/** How many characters are written at once where many are to be. */
const writeSize = 65_536;

/** What a run is shown by. */
interface Shown {
  /** How many rows the input has, and how many of them are to end in this run. */
  readonly rows: number;
  readonly left: number;
  readonly widths: PetWidths;
  /** What is known of the limits. */
  readonly view: () => LimiterStatus;
}

/** Begins to show a run. */
export function openRunDisplay(context: Context, shown: Shown): Promise<BulkScreen> {
  const { stdout, stderr, clock, env, settings } = context;
  return openBulkScreen({ stdout, stderr, clock, env, settings, ...shown });
}

/** What the requests of a run wait with: on the bar, where there is one. `signal` ends a wait. */
export function waitOnDisplay(
  { waitLine }: BulkScreen,
  { stderr, clock, env, settings }: Context,
  signal: AbortSignal,
): PetsApiOptions["wait"] {
  const { quiet, verbose, maxWaitMs } = settings;
  const live = supportsStatusLine(stderr, env);
  const line = waitLine && { line: waitLine };
  return createSleeper({ stderr, clock, signal, quiet, verbose, maxWaitMs, live, ...line });
}

/** Prints the animals that would be sent, as they come. A reader that goes away ends it. */
export async function printNewPets(
  { stdout, env, settings }: Context,
  batches: AsyncIterable<readonly NewPet[]>,
  widths: PetWidths,
): Promise<void> {
  const target = tableTarget({ stdout, env, settings });
  const { format } = settings;
  const text = await openNewPetText({ format, widths, terminal: stdout.isTTY, target });
  let held = "";
  for await (const pets of batches) {
    held += await text.of(pets);
    if (held.length < writeSize) continue;
    await stdout.write(held);
    held = "";
  }
  await stdout.write(held + text.end());
}
