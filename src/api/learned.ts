import type { Learned, SeenLimits } from "../gate/records.ts";
import type { ReplyHead } from "./outcome.ts";
import { rateLimits } from "./rate-headers.ts";
import type { AskedWait } from "./retry.ts";

/** A reset and the reply's own time are told in whole seconds. */
const second = 1000;

/**
 * What the gate learns from the head of a reply that came at `now` (ms since the epoch), `ms` after
 * its request was begun, and that asked for the wait `asked`.
 */
export function learnedFrom(
  head: ReplyHead,
  { now, ms, asked }: { now: number; ms: number; asked: AskedWait | undefined },
): Learned {
  const { status } = head;
  const wait = asked && { waitMs: asked.announcedMs };
  // A key that is not valid has no limits: those of a 401 are of the caller's address.
  return { status, limits: status === 401 ? {} : limitsFrom(head, now, ms), ...wait };
}

function limitsFrom({ headers }: ReplyHead, now: number, ms: number): SeenLimits {
  const { limit, remaining, resetAt } = rateLimits(headers, now);
  const most = resetAt === undefined ? undefined : resetAt - now;
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(most !== undefined && { endsIn: { least: most - ms - second, most } }),
  };
}
