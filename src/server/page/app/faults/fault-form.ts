import type { FaultKind } from "../../../../core/enums.ts";

/** Returns the share of requests that each fault in a text such as `429:0.1,500:0.05` has, in percent. */
export function readShares(fault: string): ReadonlyMap<string, number> {
  const parts = fault === "" ? [] : fault.split(",").map((part) => part.split(":"));
  return new Map(parts.map(([kind = "", share]) => [kind, toPercent(Number(share))]));
}

function toPercent(share: number): number {
  return Math.round(share * 1e6) / 1e4;
}

/** Returns the text that sets a kind to a share in percent; plain digits, without an exponent. */
export function writeShare(kind: FaultKind, percent: number): string {
  return `${kind}:${(percent / 100).toFixed(6).replace(/\.?0+$/, "")}`;
}

/** Returns why a kind cannot have this share beside the others; undefined if it can. */
export function shareProblem(
  shares: ReadonlyMap<string, number>,
  kind: FaultKind,
  percent: number,
): string | undefined {
  if (!(percent >= 0 && percent <= 100)) return "Enter a percentage from 0 to 100.";
  if (percent > 0 && percent < 0.0001) return "Enter 0 or at least 0.0001%.";
  const others = [...shares].filter(([other]) => other !== kind);
  const used = toPercent(others.reduce((sum, [, share]) => sum + share, 0) / 100);
  if (used + percent <= 100 + 1e-6) return undefined;
  const left = toPercent(1 - used / 100);
  return `Not set to ${percent}%: the other faults take ${used}% of the requests, which leaves ${left}%.`;
}

/** A latency in ms, plus or minus up to `jitter`. */
export interface LatencyFields {
  readonly ms: number;
  readonly jitter: number;
}

const maxLatencyMs = 3_600_000;

/** Reads a latency such as `200±100`. */
export function readLatency(text: string): LatencyFields {
  const [ms, jitter = "0"] = text.split("±");
  return { ms: Number(ms), jitter: Number(jitter) };
}

/** Returns the text that sets a latency. */
export function writeLatency({ ms, jitter }: LatencyFields): string {
  return `${ms}±${jitter}`;
}

/** Returns why there cannot be such a latency; undefined if there can. */
export function latencyProblem({ ms, jitter }: LatencyFields): string | undefined {
  const isValid = [ms, jitter].every((it) => Number.isInteger(it) && it >= 0 && it <= maxLatencyMs);
  return isValid ? undefined : "Enter whole milliseconds from 0 to 3,600,000.";
}
