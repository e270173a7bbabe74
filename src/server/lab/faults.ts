import { createHash, hash } from "node:crypto";
import type { FaultKind } from "../../core/enums.ts";
import { ApiError, badRequest } from "../api/errors.ts";
import { type Exchange, type Fault, noFault } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import {
  drawFault,
  drawLatency,
  type FaultShares,
  type Latency,
  parseRequestedFault,
  requestedFaultProblem,
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
const kinds: Readonly<Record<FaultKind, Partial<Fault>>> = {
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
    if (!header && shares.size === 0 && latency.jitter === 0)
      return { kind: undefined, delayMs: latency.ms, cut: 0, isKept: true };
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
      const header = readFaultHeader(exchange);
      const step = header === undefined ? script.take({ method, path, key }) : undefined;
      const asked = isOpen && header !== undefined && "kind" in header ? header.kind : undefined;
      const isDrawn = isOpen && step === undefined && (header === undefined || asked !== undefined);
      const { kind, delayMs, ...luck } = draw(exchange, key, isDrawn ? asked : "");
      if (kind) return { ...noFault, name: kind, delayMs, ...luck, ...kinds[kind] };
      const fault = step ?? faultAskedBy(header, isOpen);
      return { ...fault, delayMs: fault.delayMs + delayMs };
    },
    /** Returns the latency of a request without a valid key. */
    latencyOf: (exchange: Exchange): Fault => ({
      ...noFault,
      delayMs: draw(exchange, undefined, "").delayMs,
    }),
    /** Forgets all requests. */
    restart: draws.reset,
  };
}

/** Returns what a request's X-Pets-Fault header asks for, or the ApiError for an invalid one; undefined without one. */
function readFaultHeader(exchange: Exchange) {
  const header = exchange.incoming.headers["x-pets-fault"]?.toString();
  if (header === undefined || !isLocalRequest(exchange)) return undefined;
  return (
    parseRequestedFault(header) ?? badRequest(`X-Pets-Fault: ${requestedFaultProblem(header)}`)
  );
}

/** Returns the fault that a header without a kind asks for; the limits come before an invalid one. */
function faultAskedBy(header: ReturnType<typeof readFaultHeader>, isOpen: boolean): Fault {
  if (header instanceof ApiError)
    return isOpen ? { ...noFault, isKept: false, response: header } : noFault;
  if (header === undefined || "kind" in header) return noFault;
  return { ...noFault, name: `delay=${header.delayMs}`, delayMs: header.delayMs };
}

/** What identifies a request for its draws. */
export interface RequestIdentity {
  readonly method: string;
  /** Path and query. */
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
