import { type FaultKind, faultKinds } from "../../core/enums.ts";

/** The share of requests, from 0 to 1, that fails in each way; the sum is 1 at most. */
export type FaultShares = ReadonlyMap<FaultKind, number>;

const kindNames = `${faultKinds.slice(0, -1).join(", ")} or ${faultKinds.at(-1)}`;

/** Because of floating point. */
const sumTolerance = 1e-9;
export const maxDelayMs = 3_600_000;

const partPattern = /^(\w+):([01]|[01]?\.\d+)$/;

/** Parses shares such as `429:0.1,reset:0.02`: none for an empty text, undefined for an invalid one. */
export function parseFaults(text: string): FaultShares | undefined {
  const shares = new Map<FaultKind, number>();
  for (const part of text === "" ? [] : text.split(",")) {
    const [, name, digits] = partPattern.exec(part) ?? [];
    const kind = asFaultKind(name);
    if (kind === undefined || shares.has(kind)) return undefined;
    shares.set(kind, Number(digits));
  }
  return withinOne(shares);
}

/** Returns why `parseFaults` or `withShares` rejects `text`. */
export function faultProblem(text: string): string {
  for (const part of text.split(",")) {
    const [name = ""] = part.split(":", 1);
    if (asFaultKind(name) === undefined) return unknownFault(name, kindNames);
    if (!partPattern.test(part))
      return `the share in ${JSON.stringify(part)} must be a number from 0 to 1, such as ${name}:0.1`;
  }
  return "each fault can be given once, and all shares together are at most 1";
}

/** Returns what is wrong with the name of a fault, where the `known` ones are allowed. */
export function unknownFault(name: string, known: string): string {
  return `unknown fault ${JSON.stringify(name)}; use ${known}`;
}

function withinOne(shares: FaultShares): FaultShares | undefined {
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  return sum <= 1 + sumTolerance ? shares : undefined;
}

/** Returns `shares` with those in `text` instead of the same kinds; undefined if one is invalid, or all together. */
export function withShares(shares: FaultShares, text: string): FaultShares | undefined {
  const changed = parseFaults(text);
  if (changed === undefined) return undefined;
  const together = [...new Map([...shares, ...changed])];
  return withinOne(new Map(together.filter(([, share]) => share > 0)));
}

/** Formats shares as `parseFaults` reads them. */
export function formatFaults(shares: FaultShares): string {
  return [...shares].map(([kind, share]) => `${kind}:${plainDigits(share)}`).join(",");
}

/** Returns a share without an exponent, which JavaScript writes below 1e-6. */
function plainDigits(share: number): string {
  return share < 1e-6 ? share.toFixed(20).replace(/\.?0+$/, "") : String(share);
}

/** Returns the fault that a number from 0 up to 1 draws, independent of the order of the shares. */
export function drawFault(shares: FaultShares, number: number): FaultKind | undefined {
  let end = 0;
  return faultKinds.find((kind) => {
    end += shares.get(kind) ?? 0;
    return number < end;
  });
}

/** Returns the kind of fault that `text` names, if it does. */
export function asFaultKind(text: string | undefined): FaultKind | undefined {
  return faultKinds.find((kind) => kind === text);
}

/** How long responses are delayed: `ms`, plus or minus up to `jitter`; both in ms. */
export interface Latency {
  readonly ms: number;
  readonly jitter: number;
}

const latencyPattern = /^(\d+)(?:(?:\u00b1|\+-)(\d+))?$/;

/** Parses a latency; undefined if it is invalid. */
export function parseLatency(text: string): Latency | undefined {
  const [, ms, jitter = "0"] = latencyPattern.exec(text) ?? [];
  if (ms === undefined || Math.max(Number(ms), Number(jitter)) > maxDelayMs) return undefined;
  return { ms: Number(ms), jitter: Number(jitter) };
}

/** Returns what `parseLatency` allows in place of `text`. */
export function allowedLatency(text: string): string {
  return latencyPattern.test(text)
    ? `at most ${maxDelayMs} ms`
    : "whole milliseconds, such as 100 or 100±50";
}

/** Formats `latency` as `parseLatency` reads it. */
export function formatLatency({ ms, jitter }: Latency): string {
  return jitter === 0 ? String(ms) : `${ms}±${jitter}`;
}

/** Returns the delay in ms that a number from 0 up to 1 draws; never below 0. */
export function drawLatency({ ms, jitter }: Latency, number: number): number {
  return Math.max(0, ms + jitter * (2 * number - 1));
}
