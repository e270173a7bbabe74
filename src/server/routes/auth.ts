import { ApiError } from "../api/errors.ts";
import type { Exchange, Fault } from "../http/exchange.ts";
import type { AnnouncedWaits } from "../judge/waits.ts";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { type Refusal, unlimitedWindow } from "../rate-limits/limits.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import { type LocalLedger, UnknownKey, type UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import type { Admission, Area } from "./router.ts";

/** What a request is checked against: the keys, the limits, and the time in ms since the epoch. */
export interface AuthParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  readonly now: () => number;
  /** The waits that were announced to keys. */
  readonly waits: Pick<AnnouncedWaits, "check" | "announce">;
  /** Decides on faults. */
  readonly lab?: RequestLab | undefined;
}

/** What decides on the fault of a request. */
export interface RequestLab extends Pick<LocalLedger, "peek"> {
  /** Returns the number of a key among the store's keys. */
  placeOf(keyId: string): Promise<number | undefined>;
  /** `isOpen` is whether the limits admit the request. */
  faultOf(exchange: Exchange, key: number | undefined, isOpen: boolean): Fault;
  /** Returns the latency of a request without a valid key. */
  latencyOf(exchange: Exchange): Fault;
}

/** Returns the area of the service: a valid key is required, and each request counts towards its limits. */
export function serviceArea(parts: AuthParts): Area {
  const { storage, limits, now, lab } = parts;
  /** Returns the error that `step` throws with the window that its response shows. */
  const withWindow = async <T>(
    exchange: Exchange,
    step: () => Promise<T>,
  ): Promise<T | Admission> => {
    try {
      return await step();
    } catch (error) {
      exchange.fault ??= lab?.latencyOf(exchange);
      const { keyId, connection } = exchange;
      const last = keyId === undefined ? undefined : limits.lastWindow?.(keyId);
      const window = last ?? limits.countAnonymous(connection.remoteAddress, now());
      return { window, error: error instanceof UnknownKey ? unauthorized() : error };
    }
  };
  return {
    prefix: "/v1",
    identify: (exchange) =>
      withWindow(exchange, async () => {
        if (exchange.isPage) return async () => ({ window: unlimitedWindow(now()) });
        const key = await findOwnKey(storage, exchange);
        if (key === undefined) throw unauthorized();
        const plan = parsePlan(key.plan);
        if (plan === undefined) throw unknownPlan(key.id, key.plan);
        const place = await lab?.placeOf(key.id);
        return () =>
          withWindow(exchange, () => decide(parts, exchange, { keyId: key.id, plan, place }));
      }),
  };
}

/**
 * Decides on a request with a valid key, once and at one moment: whether it is early, its fault, and whether its limits
 * admit it. A forced 429 takes the place of the limits, counts in no window, and leads to no ban; another response of a
 * script is sent even where the limits refuse the request.
 */
async function decide(
  { limits, now, lab, waits }: AuthParts,
  exchange: Exchange,
  {
    keyId,
    plan,
    place,
  }: { readonly keyId: string; readonly plan: Plan; readonly place: number | undefined },
): Promise<Admission> {
  const moment = now();
  const { arrivedAt, arrivedAtStore, connection } = exchange;
  const arrived = { key: keyId, connection: connection.number, arrivedAt, arrivedAtStore };
  const { isEarly, breaksLimits } = waits.check(arrived);
  exchange.isEarly = isEarly;
  if (lab !== undefined) {
    const { window, isOpen } = lab.peek(keyId, plan, moment);
    exchange.fault = lab.faultOf(exchange, place, isOpen);
    const { response, isKept } = exchange.fault;
    if (response?.status === 429) return { window, forced: response, isHandled: isOpen && isKept };
  }
  const decision = await limits.admit(keyId, plan, moment, breaksLimits);
  const { window, allowed } = decision;
  const forced = exchange.fault?.response;
  if (forced !== undefined) return { window, forced, isHandled: allowed && exchange.fault?.isKept };
  if (allowed) return { window };
  waits.announce(keyId);
  exchange.refusal = { until: decision.until, isBan: decision.code === "key_banned" };
  return { window, error: limitError(plan, decision, now()) };
}

/** The key that was presented last, as most clients have one, and its record: hashing costs a tenth of a request. */
let last: { readonly key: string; readonly record: KeyRecord } | undefined;

/** Returns the record of the key in a request's one Authorization header, if it is valid, and notes both. */
export async function findOwnKey(
  storage: Storage,
  exchange: Exchange,
): Promise<KeyRecord | undefined> {
  const [value = "", ...others] = exchange.incoming.headersDistinct.authorization ?? [];
  exchange.key = others.length === 0 ? bearerToken(value) : undefined;
  if (exchange.key === undefined) return undefined;
  if (last?.key !== exchange.key) last = { key: exchange.key, record: keyRecord(exchange.key, "") };
  const { record: presented } = last;
  const kept = await storage.findKey(presented.id);
  if (kept === undefined || !isSameKey(kept, presented)) return undefined;
  exchange.keyId = kept.id;
  return kept;
}

/** Returns the ApiError of a request without a valid key. */
export function unauthorized(): ApiError {
  const message = "the API key is missing or not valid: send it as Authorization: Bearer <API_KEY>";
  return new ApiError(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

function limitError(plan: Plan, { code, until }: Refusal, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while, because it sent requests during a Retry-After"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new ApiError(429, code, message, { "Retry-After": String(seconds) });
}
