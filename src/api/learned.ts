import type { Learned, SeenLimits } from "../gate/records.ts";
import type { ReplyHead } from "./outcome.ts";
import { rateCounts, windowEnd } from "./rate-headers.ts";
import type { AskedWait } from "./retry.ts";

/**
 * What the gate learns from the head of a reply that came at `now` (ms since the epoch), and that
 * asked for the wait `asked`.
 */
export function learnedFrom(head: ReplyHead, now: number, asked: AskedWait | undefined): Learned {
  const { status } = head;
  const wait = asked && { waitMs: asked.announcedMs };
  // A key that is not valid has no limits: those of a 401 are of the caller's address.
  return { status, limits: status === 401 ? {} : limitsFrom(head, now), ...wait };
}

function limitsFrom({ headers }: ReplyHead, now: number): SeenLimits {
  return { ...rateCounts(headers), ...windowEnd(headers, now) };
}
