import type { ApiEvent, RateLimits } from "../client/types.ts";
import { formatAllowance, formatDuration } from "../core/format.ts";
import { escapeControls } from "../core/sanitize.ts";

/** A deprecation is a note instead, and a wait is shown by itself. */
type VerboseEvent = Exclude<ApiEvent, { readonly type: "deprecation" | "waiting" | "waited" }>;

/** Returns the line of `--verbose` for an event: `>` for what is sent, `<` for what comes back, `!` for a failure. */
export function verboseLine(event: VerboseEvent, now: number): string {
  return `${escapeControls(describeEvent(event, now).join(", "))}\n`;
}

function describeEvent(event: VerboseEvent, now: number): readonly string[] {
  switch (event.type) {
    case "request":
      return [`> ${event.method} ${event.url}${attempt(event.attempt)}`];
    case "reply":
      return [
        `< ${event.status} in ${inMs(event.ms)}`,
        ...formatLimits(event.limits, now),
        ...(event.text === undefined ? [] : [event.text]),
      ];
    case "failure":
      return [`! ${event.what} after ${inMs(event.ms)}`];
    case "limiter_moved":
      return [`! rate limits are kept in ${event.folder ?? "this process alone"}: ${event.what}`];
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}

const attempt = (number: number): string => (number > 1 ? ` (attempt ${number})` : "");

function formatLimits({ limit, remaining, resetAt }: RateLimits, now: number): string[] {
  return [
    ...(limit === undefined ? [] : [`limit ${formatAllowance(limit)}`]),
    ...(remaining === undefined ? [] : [`remaining ${formatAllowance(remaining)}`]),
    ...(resetAt === undefined ? [] : [`resets in ${formatDuration(resetAt - now)}`]),
  ];
}

const inMs = (ms: number): string => `${Math.round(ms)} ms`;
