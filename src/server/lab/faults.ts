import { createHash, hash } from "node:crypto";
import { type FaultKind, faultKinds } from "../../core/enums.ts";
import { ApiError, badRequest } from "../api/errors.ts";
import type { Exchange, Fault } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import {
  asFaultKind,
  drawFault,
  drawLatency,
  type FaultShares,
  type Latency,
  maxDelayMs,
  unknownFault,
} from "./fault-spec.ts";
import type { Script } from "./script.ts";

/** Which faults are in force, and how long responses are delayed. */
export interface FaultSettings {
  readonly shares: FaultShares;
  readonly latency: Latency;
}

// The shortest wait, so that tests are short.
const message = "a 429 was requested, regardless of the limit; wait 1 s";
const forcedRateLimit = new ApiError(429, "rate_limited", message, { "Retry-After": "1" });

/** What a kind of fault does, in addition to what a draw decided. */
const kinds: Readonly<Record<FaultKind, Fault>> = {
  "429": { response: forcedRateLimit, isKept: false },
  "500": { response: new ApiError(500, "internal", "a 500 was requested") },
  reset: { wire: "reset" },
  truncate: { wire: "truncate" },
  hang: { wire: "hang" },
};

/** Returns what decides on the fault of a request: its header before the script, the script before the draw from `seed`. */
export function faultSource(seed: number, script: Script, settings: () => FaultSettings) {
  const draws = identityDraws(seed);
  /** Draws the luck of a request. What a header, the script or the limits decide draws its latency alone, apart. */
  const draw = (
    exchange: Exchange,
    key: number | undefined,
    header: FaultKind | "" | undefined,
  ) => {
    const { shares, latency } = settings();
    if (!header && shares.size === 0 && latency.jitter === 0) return { delayMs: latency.ms };
    const { method, target } = exchange;
    const body = exchange.body instanceof Error ? undefined : exchange.body;
    const luck = draws.next({ method, target, body, key, header });
    return {
      kind: header ?? drawFault(shares, luck.fault),
      delayMs: drawLatency(latency, luck.latency),
      cut: luck.cut,
      isKept: luck.moment >= 0.5,
    };
  };
  return {
    /** Returns the fault of a request; `key` is the place of its key, `isOpen` whether the limits admit it. */
    faultOf: (exchange: Exchange, key: number | undefined, isOpen: boolean): Fault => {
      const { method, path } = exchange;
      const header = readFaultHeader(exchange, isOpen);
      const decided = header === undefined ? script.take({ method, path, key }) : header.fault;
      const isDrawn = isOpen && decided === undefined;
      const { kind, delayMs, ...luck } = draw(exchange, key, isDrawn ? header?.kind : "");
      if (kind) return { name: kind, delayMs, ...luck, ...kinds[kind] };
      return { ...decided, delayMs: (decided?.delayMs ?? 0) + delayMs };
    },
    /** Returns the latency of a request without a valid key. */
    latencyOf: (exchange: Exchange): Fault => ({ delayMs: draw(exchange, undefined, "").delayMs }),
    /** Forgets all requests. */
    restart: draws.reset,
  };
}

/** Returns what a request's X-Pets-Fault header asks for: a kind, if the limits admit the request, or another fault. */
function readFaultHeader(
  exchange: Exchange,
  isOpen: boolean,
): { readonly kind?: FaultKind; readonly fault?: Fault } | undefined {
  const header = exchange.incoming.headers["x-pets-fault"]?.toString();
  if (header === undefined || !isLocalRequest(exchange)) return undefined;
  const kind = asFaultKind(header);
  if (kind !== undefined) return { kind };
  const delayMs = Number(/^delay=(\d+)$/.exec(header)?.[1] ?? Number.NaN);
  if (delayMs <= maxDelayMs) return { fault: { name: `delay=${delayMs}`, delayMs } };
  const problem = Number.isNaN(delayMs)
    ? unknownFault(header, `${faultKinds.join(", ")} or delay=900`)
    : `a delay is at most ${maxDelayMs} ms`;
  const response = badRequest(`X-Pets-Fault: ${problem}`);
  // The limits come before an invalid header.
  return { fault: isOpen ? { isKept: false, response } : {} };
}

/** What identifies a request for its draws. */
export interface RequestIdentity {
  readonly method: string;
  readonly target: string;
  /** Undefined if it could not be read completely. */
  readonly body?: Uint8Array | undefined;
  /** The number of its key among the store's keys. */
  readonly key?: number | undefined;
  /** The fault that X-Pets-Fault requests; empty where only the latency is random. */
  readonly header?: FaultKind | "" | undefined;
}

/**
 * Returns a source of random numbers that depend only on `seed`, on the identity of the request, and on
 * how many equal requests came before: the order of different requests does not matter.
 */
export function identityDraws(seed: number) {
  const counts = new Map<string, number>();
  return {
    /** Draws numbers from 0 up to 1: which fault, whether before its animal is stored or after, where to cut, the latency. */
    next: ({ method, target, body, key, header }: RequestIdentity) => {
      const head = [method, target, key ?? null, header ?? null, body === undefined];
      const identity = createHash("sha256").update(`${JSON.stringify(head)}\n`);
      const digest = identity
        .update(body ?? "")
        .digest("base64")
        .slice(0, 22);
      const count = counts.get(digest) ?? 0;
      counts.set(digest, count + 1);
      const bytes = hash("sha256", `${seed} ${count} ${digest}`, "buffer");
      const number = (index: number): number => bytes.readUInt32LE(index * 4) / 2 ** 32;
      return { fault: number(0), moment: number(1), cut: number(2), latency: number(3) };
    },
    /** Forgets all requests. */
    reset: (): void => counts.clear(),
  };
}
