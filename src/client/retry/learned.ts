import type { ReplyInfo, ObservedLimits } from "../../rate-limiter/log/records.ts";
import type { ReplyHead } from "../http/outcome.ts";
import { parseCounts, parseReset } from "./rate-limit-headers.ts";
import type { RequestedDelay } from "./policy.ts";

/**
 * What the gate learns from the head of a reply that came at `now` (ms since the epoch), and that
 * asked for the wait `asked`.
 */
export function toReplyInfo(
  head: ReplyHead,
  now: number,
  asked: RequestedDelay | undefined,
): ReplyInfo {
  const { status } = head;
  const wait = asked && { waitMs: asked.announcedMs };
  // A key that is not valid has no limits: those of a 401 are of the caller's address.
  return { status, limits: status === 401 ? {} : limitsFrom(head, now), ...wait };
}

function limitsFrom({ headers }: ReplyHead, now: number): ObservedLimits {
  return { ...parseCounts(headers), ...parseReset(headers, now) };
}
