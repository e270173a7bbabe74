import type { PetsApiOptions } from "../../../client/options.ts";
import type { NewPet } from "../../../client/types.ts";
import type { Context } from "../../context.ts";
import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import { openNewPetText } from "./dry-run-format.ts";
import { type BulkScreen, openBulkScreen, tableTarget } from "./run-display.ts";
import type { PetWidths } from "./bulk-widths.ts";
import { supportsStatusLine } from "../../../output/status-line.ts";
import { createSleeper } from "../../../output/wait-notice.ts";

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
