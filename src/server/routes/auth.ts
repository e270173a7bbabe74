import type { IncomingMessage } from "node:http";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import { UnknownKey, type UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import { notesOf } from "../http/request-notes.ts";
import { unlimitedWindow } from "../rate-limits/windows.ts";
import { ApiError } from "./errors.ts";
import type { Admission } from "./router.ts";

const nameLength = "authorization".length;

/** What a request is checked against: the keys, the limits, and the time in ms since the epoch. */
export interface AuthParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  readonly now: () => number;
}

/**
 * Returns a function that admits requests with a valid key whose plan allows them, and counts them; the
 * error of the others is an ApiError (401, 429), or what the storage threw.
 */
export function authorize({ storage, limits, now }: AuthParts) {
  return async (incoming: IncomingMessage): Promise<Admission> => {
    const { rawHeaders, socket } = incoming;
    const notes = notesOf(incoming);
    if (notes.isPage) return { window: unlimitedWindow(now()) };
    let keyId: string | undefined;
    try {
      const key = await bearerKey(storage, rawHeaders);
      if (key === undefined) throw unauthorized();
      keyId = key.id;
      notes.keyId = key.id;
      const plan = parsePlan(key.plan);
      if (plan === undefined) throw unknownPlan(key.id, key.plan);
      const moment = now();
      const decision = await limits.admit(key.id, plan, moment);
      const { window } = decision;
      if (decision.allowed) return { window };
      if (decision.code === "forced")
        return { window, error: decision.error, isHandled: decision.isHandled === true };
      notes.isEarly ||= decision.isEarly;
      notes.refusedUntil = decision.until;
      if (decision.code === "key_banned") notes.bannedUntil = decision.until;
      return { window, error: limitError(plan, decision, now()) };
    } catch (error) {
      const last = keyId === undefined ? undefined : limits.lastWindow?.(keyId, now());
      const window = last ?? limits.countAnonymous(socket.remoteAddress ?? "", now());
      return { window, error: error instanceof UnknownKey ? unauthorized() : error };
    }
  };
}

/** Returns the record of the key in a request's one Authorization header, if it is valid. */
export async function bearerKey(
  storage: Storage,
  rawHeaders: readonly string[],
): Promise<KeyRecord | undefined> {
  const values: string[] = [];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const { [place]: name = "", [place + 1]: value = "" } = rawHeaders;
    if (name.length === nameLength && name.toLowerCase() === "authorization") values.push(value);
  }
  const token = bearerToken(values.length === 1 ? (values[0] ?? "") : "");
  return token === undefined ? undefined : findKey(storage, token);
}

/** Returns the ApiError of a request without a valid key. */
export function unauthorized(): ApiError {
  const message = "the API key is missing or not valid: send it as Authorization: Bearer <API_KEY>";
  return new ApiError(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

function limitError(
  plan: Plan,
  { code, until }: { readonly code: "rate_limited" | "key_banned"; readonly until: number },
  now: number,
): ApiError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while, because it sent requests during a Retry-After"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new ApiError(429, code, message, { "Retry-After": String(seconds) });
}

/** How many hashes of keys are cached; beyond that the cache is cleared. */
const maxCachedKeys = 1_000;
const keyRecords = new Map<string, KeyRecord>();

/** Returns the record of `key` in `storage`, or undefined if the key is not valid there. */
export async function findKey(
  storage: Pick<Storage, "findKey">,
  key: string,
): Promise<KeyRecord | undefined> {
  const presented = keyRecords.get(key) ?? cacheRecord(key);
  const kept = await storage.findKey(presented.id);
  return kept !== undefined && isSameKey(kept, presented) ? kept : undefined;
}

function cacheRecord(key: string): KeyRecord {
  const record = keyRecord(key, "");
  if (keyRecords.size >= maxCachedKeys) keyRecords.clear();
  keyRecords.set(key, record);
  return record;
}
