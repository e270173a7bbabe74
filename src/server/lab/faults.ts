import { createHash, hash } from "node:crypto";
import * as z from "zod/mini";
import { type FaultKind, faultKinds } from "../../core/enums.ts";
import { mustBe, shown } from "../../core/syntax.ts";
import { ApiError, badRequest, forbidden } from "../api/errors.ts";
import type { Admitted, Arrived, Fault } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import type { FaultRequest } from "../routes/decision.ts";
import { readObject } from "../routes/store-area.ts";
import * as spec from "./fault-spec.ts";
import { parsed, readInput } from "./read-input.ts";
import type { Script } from "./script.ts";

/** Which faults are in force, and how long responses are delayed. */
export interface FaultSettings {
  readonly shares: spec.FaultShares;
  readonly latency: spec.Latency;
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

/** Makes what decides on the fault of a request: its header before the script, the script before the draw from `seed`. */
export function makeFaults(seed: number, initial: FaultSettings, script: Script) {
  let { shares, latency } = initial;
  const draws = identityDraws(seed);
  /** Draws the luck of a request; only its latency, apart, where a header, the script or the limits decide the rest. */
  const draw = (of: FaultRequest, header: FaultKind | "" | undefined) => {
    if (!header && shares.size === 0 && latency.jitter === 0) return { delayMs: latency.ms };
    const { method, target } = of.request;
    const body = of.body instanceof Error ? undefined : of.body;
    const luck = draws.next({ method, target, body, key: of.place, header });
    return {
      kind: header ?? spec.drawFault(shares, luck.fault),
      delayMs: spec.drawLatency(latency, luck.latency),
      cut: luck.cut,
      isKept: luck.moment >= 0.5,
    };
  };
  return {
    /** Returns the fault of a request; `isOpen` is whether the limits admit it. */
    faultOf: (of: FaultRequest, isOpen: boolean): Fault => {
      const { method, path } = of.request;
      const header = readFaultHeader(of.request, isOpen);
      const decided =
        header === undefined ? script.take({ method, path, key: of.place }) : header.fault;
      const isDrawn = isOpen && decided === undefined;
      const { kind, delayMs, ...luck } = draw(of, isDrawn ? header?.kind : "");
      if (kind) return { name: kind, delayMs, ...luck, ...kinds[kind] };
      return { ...decided, delayMs: (decided?.delayMs ?? 0) + delayMs };
    },
    /** Returns the latency of a request without a valid key. */
    latencyOf: (of: FaultRequest): Fault => ({ delayMs: draw(of, "").delayMs }),
    read: () => ({ fault: spec.formatFaults(shares), latency: spec.formatLatency(latency) }),
    /** Applies the body of a request. Throws an ApiError, and then changes nothing. */
    change: (admitted: Admitted): void => {
      const body = readObject(admitted, '{"fault":"429:0.1","latency":"100±50"}');
      const { fault = shares, change, latency: delay = latency } = readInput(faultFields, body);
      const changed = change === undefined ? fault : spec.withShares(shares, change);
      if (changed === undefined)
        throw badRequest(mustBe("change", spec.allowedTogether, shown(body["change"])));
      [shares, latency] = [changed, delay];
    },
    /** Forgets all requests, and brings back what was in force at the start. */
    reset: (): void => {
      draws.reset();
      ({ shares, latency } = initial);
    },
  };
}

const anyShares = z.optional(parsed(spec.faultSyntax));
const anyLatency = z.optional(parsed(spec.latencySyntax));
/** `change` is like `fault`, and leaves the kinds that it does not name as they are. */
const faultFields = z.strictObject({ fault: anyShares, latency: anyLatency, change: anyShares });

/** Returns what a request's X-Pets-Fault header asks for: a kind, or if no luck is involved a fault. */
function readFaultHeader(
  request: Arrived,
  isOpen: boolean,
): { readonly kind?: FaultKind; readonly fault?: Fault } | undefined {
  const header = request.incoming.headers["x-pets-fault"]?.toString();
  if (header === undefined) return undefined;
  if (!isLocalRequest(request)) return refusedFault(isOpen, forbidden(localFaults));
  const kind = spec.asFaultKind(header);
  if (kind !== undefined) return { kind };
  const delayMs = spec.parseDelay(/^delay=(.+)$/.exec(header)?.[1] ?? "");
  if (delayMs !== undefined) return { fault: { name: `delay=${delayMs}`, delayMs } };
  return refusedFault(isOpen, badRequest(mustBe("X-Pets-Fault", allowedHeader, shown(header))));
}

const allowedHeader = `${faultKinds.join(", ")} or a delay up to 1h, such as delay=900`;
const localFaults =
  "X-Pets-Fault is only for clients on this machine, at a name of it, without a proxy";

/** The limits come before a header that cannot be obeyed. */
const refusedFault = (isOpen: boolean, response: ApiError) => ({
  fault: isOpen ? { isKept: false, response } : {},
});

/** What identifies a request for its draws. */
export interface RequestIdentity extends Pick<Arrived, "method" | "target"> {
  /** Undefined if it could not be read completely. */
  readonly body?: Uint8Array | undefined;
  /** The number of its key among the store's keys. */
  readonly key?: number | undefined;
  /** The fault that X-Pets-Fault requests; empty where only the latency is random. */
  readonly header?: FaultKind | "" | undefined;
}

/**
 * Returns a source of random numbers by `seed`, a request's identity, and how many equal requests came before it: it
 * counts at least the last `minCounted` different ones, and at most twice as many.
 */
export function identityDraws(seed: number, minCounted = 100_000) {
  // Two maps, as to delete the first entry of a large one takes 40 µs.
  let [counts, older] = [new Map<string, number>(), new Map<string, number>()];
  return {
    /** Draws numbers from 0 up to 1: which fault, whether before its animal is stored or after, where to cut, the latency. */
    next: ({ method, target, body, key, header }: RequestIdentity) => {
      const head = [method, target, key ?? null, header ?? null, body === undefined];
      const identity = createHash("sha256").update(`${JSON.stringify(head)}\n`);
      const digest = identity
        .update(body ?? "")
        .digest("base64")
        .slice(0, 22);
      const count = counts.get(digest) ?? older.get(digest) ?? 0;
      counts.set(digest, count + 1);
      if (counts.size === minCounted) [counts, older] = [new Map(), counts];
      const bytes = hash("sha256", `${seed} ${count} ${digest}`, "buffer");
      const number = (index: number): number => bytes.readUInt32LE(index * 4) / 2 ** 32;
      return { fault: number(0), moment: number(1), cut: number(2), latency: number(3) };
    },
    reset: (): void => void ([counts, older] = [new Map(), new Map()]),
  };
}
