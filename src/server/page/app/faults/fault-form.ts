import type { FaultKind } from "../../../../core/enums.ts";
import {
  type FaultShares,
  formatFaults,
  formatLatency,
  type Latency,
  parseLatency,
  withShares,
} from "../../../lab/fault-spec.ts";

/** Returns a share of 1 in percent. */
export function toPercent(share: number): number {
  return Number((share * 100).toPrecision(6));
}

/** Returns the text that sets a kind of fault to a share in percent. */
export function shareText(kind: FaultKind, percent: number): string {
  return formatFaults(new Map([[kind, Number((percent / 100).toPrecision(6))]]));
}

/** Returns why a kind cannot have this share in percent beside the others; undefined if it can. */
export function shareProblem(
  shares: FaultShares,
  kind: FaultKind,
  percent: number,
): string | undefined {
  if (!(percent >= 0 && percent <= 100)) return "Enter a percentage from 0 to 100.";
  if (withShares(shares, shareText(kind, percent)) !== undefined) return undefined;
  const others = [...shares].filter(([other]) => other !== kind);
  const used = others.reduce((sum, [, share]) => sum + share, 0);
  return `Not set to ${percent}%: the other faults take ${toPercent(used)}% of the requests, which leaves ${toPercent(1 - used)}%.`;
}

/** Returns why there cannot be such a latency; undefined if there can. */
export function latencyProblem(latency: Latency): string | undefined {
  if (parseLatency(formatLatency(latency)) !== undefined) return undefined;
  return "Enter whole milliseconds from 0 to 3,600,000.";
}
