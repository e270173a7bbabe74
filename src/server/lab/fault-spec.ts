import { type FaultKind, faultKinds } from "../../core/enums.ts";
import type { Syntax } from "../../core/syntax.ts";
import { parseDuration } from "../../core/times.ts";

/** The share of requests, from 0 to 1, that fails in each way; the sum is 1 at most. */
export type FaultShares = ReadonlyMap<FaultKind, number>;

const kindNames = `${faultKinds.slice(0, -1).join(", ")} or ${faultKinds.at(-1)}`;

/** Because of floating point. */
const sumTolerance = 1e-9;
export const maxDelayMs = 3_600_000;

const partPattern = /^(\w+):([01]|[01]?\.\d+)$/;

const isOff = (text: string): boolean => text === "" || text === "off";

/** Parses shares such as `429:0.1,reset:0.02`: none for `off` and an empty text, undefined for an invalid one. */
export function parseFaults(text: string): FaultShares | undefined {
  const shares = new Map<FaultKind, number>();
  for (const part of isOff(text) ? [] : text.split(",")) {
    const [, name, digits] = partPattern.exec(part) ?? [];
    const kind = asFaultKind(name);
    if (kind === undefined || shares.has(kind)) return undefined;
    shares.set(kind, Number(digits));
  }
  return withinOne(shares);
}

/** What shares must be that each are allowed. */
export const allowedTogether = "shares of at most 1 together, each fault once";

export const faultSyntax: Syntax<FaultShares> = {
  parse: parseFaults,
  allowed: (text) => {
    const parts = text.split(",");
    if (!parts.every((part) => asFaultKind(part.split(":", 1)[0])))
      return `shares of ${kindNames}, such as 429:0.1`;
    return parts.every((part) => partPattern.test(part))
      ? allowedTogether
      : "shares from 0 to 1, such as 429:0.1";
  },
};

function withinOne(shares: FaultShares): FaultShares | undefined {
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  return sum <= 1 + sumTolerance ? shares : undefined;
}

/** Returns `shares` with the `changed` ones instead of the same kinds; undefined if they are over 1 together. */
export function withShares(shares: FaultShares, changed: FaultShares): FaultShares | undefined {
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

/** Parses a latency such as `100`, `100±50` or `5s`: none for `off` and an empty text, undefined for an invalid one. */
export function parseLatency(text: string): Latency | undefined {
  const parts = (isOff(text) ? "0" : text).split(/\u00b1|\+-/).map(parseDelay);
  if (parts.length > 2 || parts.includes(undefined)) return undefined;
  const [ms = 0, jitter = 0] = parts;
  return { ms, jitter };
}

/** Returns the ms of a number of ms, or of a duration with its unit; undefined over 1h, and for other text. */
export function parseDelay(text: string): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) : parseDuration(/[a-z]$/.test(text) ? text : "");
  return ms !== undefined && ms <= maxDelayMs ? ms : undefined;
}

export const latencySyntax: Syntax<Latency> = {
  parse: parseLatency,
  allowed: () => "milliseconds or a duration up to 1h, such as 100, 100±50 or 5s",
};

/** Formats `latency` as `parseLatency` reads it. */
export function formatLatency({ ms, jitter }: Latency): string {
  return jitter === 0 ? String(ms) : `${ms}±${jitter}`;
}

/** Returns the delay in ms that a number from 0 up to 1 draws; never below 0. */
export function drawLatency({ ms, jitter }: Latency, number: number): number {
  return Math.max(0, ms + jitter * (2 * number - 1));
}
