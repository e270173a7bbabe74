import type { Tally } from "../bulk/types.ts";
import { Failure } from "../errors.ts";

/** How many rows a journal has in each state. */
interface StateCounts {
  readonly unsent: number;
  readonly open: number;
  readonly added: number;
  readonly rejected: number;
  readonly unknown: number;
}

/** How the rows ended, by what the journal knows now and what it knew before the run. */
export function tallyOf(now: StateCounts, before: StateCounts): Tally {
  const { unsent, open, added, rejected, unknown } = now;
  return {
    rows: unsent + open + added + rejected + unknown,
    added: added - before.added,
    rejected,
    // One that was begun and of which no end is recorded may have been added.
    unknown: unknown + open,
    notSent: unsent,
    earlier: before.added,
  };
}

/**
 * What a run ends with (contract.md, Bulk, Exit): what stopped it, else a `partial` Failure where any
 * row was not added, else nothing. A fault of this program comes out as it is.
 */
export function endOf(tally: Tally, reason: { readonly error: unknown } | undefined): unknown {
  if (reason !== undefined)
    return reason.error instanceof Failure ? stopped(reason.error) : reason.error;
  const { rows, rejected, unknown, notSent } = tally;
  const missing = rejected + unknown + notSent;
  if (missing === 0) return undefined;
  const parts = [
    [rejected, "rejected"],
    [unknown, "of unknown outcome"],
    [notSent, "not sent"],
  ].filter(([count]) => count !== 0);
  const what = parts.map(([count, how]) => `${count} ${how}`).join(", ");
  return new Failure("partial", `not all of ${rows} rows were added: ${what}`, { retryable: true });
}

/** The journal knows what was sent: the same command does no harm, whatever stopped it. */
function stopped({ kind, message, code, hints, facts }: Failure): Failure {
  const { attempts: _ofOneRow, ...rest } = facts;
  return new Failure(kind, message, { ...rest, code, hints, retryable: true });
}
