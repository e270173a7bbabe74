import { createHash, hash } from "node:crypto";
import type { FaultKind } from "../../core/enums.ts";
import { ApiError, badRequest } from "../api/errors.ts";
import { type Exchange, type Fault, noFault } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import {
  drawFault,
  drawLatency,
  type Latency,
  parseRequestedFault,
  requestedFaultSyntax,
} from "./fault-spec.ts";
import type { Script } from "./script.ts";

/** Which faults are chosen: the share of requests, from 0 to 1, that meets each, and how long responses are delayed. */
export interface FaultSettings {
  readonly shares: ReadonlyMap<FaultKind, number>;
  readonly latency: Latency;
}

/** What a kind of fault does, in addition to what a draw decided. */
const kinds: Readonly<Record<FaultKind, Partial<Fault>>> = {
  // Tells to wait as short as possible, so that tests are short.
  "429": { response: forcedRateLimit(1), isKept: false },
  "500": { response: new ApiError(500, "internal", "a 500 was requested") },
  reset: { wire: "reset" },
  truncate: { wire: "truncate" },
  hang: { wire: "hang" },
};

function forcedRateLimit(seconds: number): ApiError {
  const message = `a 429 was requested, whatever the limit; wait ${seconds} s`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(seconds) });
}

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
  const { "x-pets-fault": header } = exchange.incoming.headers;
  if (header === undefined || !isLocalRequest(exchange)) return undefined;
  const asked = parseRequestedFault(header.toString());
  return asked ?? badRequest(`X-Pets-Fault must be ${requestedFaultSyntax}`);
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
  /** The number of its key among the store's keys, in the order in which they were made. */
  readonly key?: number | undefined;
  /** The fault that X-Pets-Fault requests, empty where only the latency is chosen: such requests are counted separately. */
  readonly header?: FaultKind | "" | undefined;
}

/**
 * Returns a source of random numbers that depend only on `seed`, on the identity of the request, and on
 * how many equal requests came before: the order of different requests does not matter.
 */
export function identityDraws(seed: number) {
  const counts = new Map<string, number>();
  return {
    /**
     * Draws numbers from 0 up to 1 for the next request with this identity: which fault it meets, whether before its
     * animal is stored or after, where a response is truncated, and the latency.
     */
    next: (identity: RequestIdentity) => {
      const digest = digestOf(identity);
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

function digestOf({ method, target, body, key, header }: RequestIdentity): string {
  const head = JSON.stringify([method, target, key ?? null, header ?? null, body === undefined]);
  const digest = createHash("sha256").update(`${head}\n`);
  return digest
    .update(body ?? "")
    .digest("base64")
    .slice(0, 22);
}
