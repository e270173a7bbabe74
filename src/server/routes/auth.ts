import type { IncomingMessage } from "node:http";
import type { MiddlewareHandler } from "hono";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import { UnknownKey, type UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { WindowState } from "../rate-limits/windows.ts";
import type { Storage } from "../storage/storage.ts";
import { ApiError } from "./errors.ts";
import type { StoreEnv } from "./responses.ts";

const nameLength = "authorization".length;

/** What the guard asks: the keys, the limits, and the time in ms since the epoch. */
export interface GuardParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  readonly now: () => number;
}

/** Holds requests below /v1 against `admission`. */
export function authMiddleware(parts: GuardParts): MiddlewareHandler<StoreEnv> {
  const admit = authorize(parts);
  return async (context, next) => {
    await admit(context.env.incoming, (window) => context.set("window", window));
    await next();
  };
}

/**
 * Lets a request through when its key is valid and its plan allows it; else throws a Problem (401,
 * 429). Tells of the window that the rate headers of the reply are to show.
 */
export function authorize({ storage, limits, now }: GuardParts) {
  return async (
    { rawHeaders, socket }: IncomingMessage,
    tell: (window: WindowState) => void,
  ): Promise<void> => {
    const fail = (error: unknown, keyId?: string): never => {
      const last = keyId === undefined ? undefined : limits.lastWindow?.(keyId, now());
      tell(last ?? limits.countAnonymous(socket.remoteAddress ?? "", now()));
      throw error;
    };
    const key = await bearerKey(storage, rawHeaders).catch(fail);
    const valid = key ?? fail(unauthorized());
    const plan = parsePlan(valid.plan) ?? fail(unknownPlan(valid.id, valid.plan), valid.id);
    const moment = now();
    const decision = await limits
      .admit(valid.id, plan, moment)
      .catch((error) => fail(error instanceof UnknownKey ? unauthorized() : error, valid.id));
    tell(decision.window);
    if (!decision.allowed)
      throw decision.code === "forced" ? decision.problem : refusal(plan, decision, moment);
  };
}

/** The record of the key that a request presents in its one Authorization header, if that is valid. */
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

/** The Problem of a request without a valid key. */
export function unauthorized(): ApiError {
  const message = "the API key is missing or not valid: send it as Authorization: Bearer <API_KEY>";
  return new ApiError(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

function refusal(
  plan: Plan,
  { code, until }: { readonly code: "rate_limited" | "key_banned"; readonly until: number },
  now: number,
): ApiError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while, because it kept asking after it was told to wait"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new ApiError(429, code, message, { "Retry-After": String(seconds) });
}

/** How many of the keys that were presented last have their hash remembered. */
const mostRemembered = 1_000;
const remembered = new Map<string, KeyRecord>();

/** The record that `storage` keeps of `key`; undefined where the key is not valid there. */
export async function findKey(
  storage: Pick<Storage, "findKey">,
  key: string,
): Promise<KeyRecord | undefined> {
  const presented = remembered.get(key) ?? remember(key);
  const kept = await storage.findKey(presented.id);
  return kept !== undefined && isSameKey(kept, presented) ? kept : undefined;
}

function remember(key: string): KeyRecord {
  const record = keyRecord(key, "");
  if (remembered.size >= mostRemembered) remembered.clear();
  remembered.set(key, record);
  return record;
}
