import { ApiError } from "../api/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { headerValues } from "../http/target.ts";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { memoize } from "../memoize.ts";
import { type AdmissionDecision, type Refusal, unlimitedWindow } from "../rate-limits/limits.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import { UnknownKey, type UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import type { Admission, Area } from "./router.ts";

/** What a request is checked against: the keys, the limits, and the time in ms since the epoch. */
export interface AuthParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  readonly now: () => number;
  /** Decides instead of the limits alone, and may force a response. */
  readonly lab?: RequestGate | undefined;
}

/** Decides whether a request with a valid key is carried out. */
export interface RequestGate {
  admit(
    exchange: Exchange,
    keyId: string,
    plan: Plan,
  ): Promise<AdmissionDecision & Pick<Admission, "forced" | "isHandled">>;
}

/** Returns the area of the service: a valid key is required, and each request counts towards its limits. */
export function serviceArea(parts: AuthParts): Area {
  return { prefix: "/v1", admit: (exchange) => admitByKey(parts, exchange) };
}

/**
 * Admits a request with a valid key whose plan allows it, and counts it; the error of others is an
 * ApiError (401, 429), or what the storage threw.
 */
async function admitByKey(parts: AuthParts, exchange: Exchange): Promise<Admission> {
  const { storage, limits, now, lab } = parts;
  if (exchange.isPage) return { window: unlimitedWindow(now()) };
  try {
    const key = await findOwnKey(storage, exchange);
    if (key === undefined) throw unauthorized();
    const plan = parsePlan(key.plan);
    if (plan === undefined) throw unknownPlan(key.id, key.plan);
    const decision = await (lab?.admit(exchange, key.id, plan) ??
      limits.admit(key.id, plan, now()));
    if (decision.allowed) return decision;
    const { window, code, until, isEarly } = decision;
    exchange.isEarly ||= isEarly;
    exchange.refusal = { until, isBan: code === "key_banned" };
    return { window, error: limitError(plan, decision, now()) };
  } catch (error) {
    const { keyId, connection } = exchange;
    const last = keyId === undefined ? undefined : limits.lastWindow?.(keyId);
    const window = last ?? limits.countAnonymous(connection.remoteAddress, now());
    return { window, error: error instanceof UnknownKey ? unauthorized() : error };
  }
}

/** Returns the record of the key in a request's one Authorization header, if it is valid, and notes both. */
export async function findOwnKey(
  storage: Storage,
  exchange: Exchange,
): Promise<KeyRecord | undefined> {
  const { 0: value = "", length } = headerValues(exchange.incoming, "authorization");
  const presented = length === 1 ? presentedKey(value) : undefined;
  exchange.key = presented?.key;
  if (presented === undefined) return undefined;
  const kept = await storage.findKey(presented.record.id);
  if (kept === undefined || !isSameKey(kept, presented.record)) return undefined;
  exchange.keyId = kept.id;
  return kept;
}

/** Returns the key in an Authorization header, and its record; undefined if there is none. */
const presentedKey = memoize((authorization) => {
  const key = bearerToken(authorization);
  return key === undefined ? undefined : { key, record: keyRecord(key, "") };
});

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
