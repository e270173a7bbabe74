import { type FaultKind } from "../../../core/enums.ts";
import {
  type FaultShares,
  formatFaults,
  formatLatency,
  type Latency,
  parseLatency,
  withShares,
} from "../../lab/fault-spec.ts";

/** Returns a share of 1 in percent. */
export function toPercent(share: number): number {
  return Number((share * 100).toPrecision(6));
}

/** Returns the text that sets a kind to a share in percent. Throws an Error for the user if the others leave less. */
export function shareText(shares: FaultShares, kind: FaultKind, percent: number): string {
  if (!(percent >= 0 && percent <= 100)) throw new Error("Enter a percentage from 0 to 100.");
  const text = formatFaults(new Map([[kind, Number((percent / 100).toPrecision(6))]]));
  if (withShares(shares, text) !== undefined) return text;
  const others = [...shares].filter(([other]) => other !== kind);
  const used = others.reduce((sum, [, share]) => sum + share, 0);
  throw new Error(
    `Not set to ${percent}%: the other faults take ${toPercent(used)}% of the requests, which leaves ${toPercent(1 - used)}%.`,
  );
}

/** Returns the text that sets the latency. Throws an Error for the user if there cannot be such a one. */
export function latencyText(latency: Latency): string {
  const text = formatLatency(latency);
  if (parseLatency(text) !== undefined) return text;
  throw new Error("Enter whole milliseconds from 0 to 3,600,000.");
}
