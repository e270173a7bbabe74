import type { MiddlewareHandler } from "hono";
import { findKey } from "./find-key.ts";
import { bearerToken, type KeyRecord } from "./keys.ts";
import { type LimitBook, NoSuchKey } from "./limit-book.ts";
import { describePlan, parsePlan, type Plan } from "./plans.ts";
import { Problem } from "./problem.ts";
import type { StoreEnv } from "./replies.ts";
import type { Storage } from "./storage.ts";

/** What the guard asks: the keys, the limits, and the time in ms since the epoch. */
export interface GuardParts {
  readonly storage: Storage;
  readonly limits: LimitBook;
  readonly now: () => number;
}

/** Lets a request below /v1 through when its key is valid and its plan allows it; else a Problem (401, 429). */
export function guard({ storage, limits, now }: GuardParts): MiddlewareHandler<StoreEnv> {
  return async (context, next) => {
    const { rawHeaders, socket } = context.env.incoming;
    const fail = (error: unknown, keyId?: string): never => {
      const last = keyId === undefined ? undefined : limits.lastWindow?.(keyId, now());
      context.set("window", last ?? limits.countStranger(socket.remoteAddress ?? "", now()));
      throw error;
    };
    const key = await presentedKey(storage, rawHeaders).catch(fail);
    const valid = key ?? fail(unauthorized());
    const plan = planOf(valid);
    const moment = now();
    const decision = await limits
      .admit(valid.id, plan, moment)
      .catch((error) => fail(error instanceof NoSuchKey ? unauthorized() : error, valid.id));
    context.set("window", decision.window);
    if (!decision.allowed)
      throw decision.code === "forced" ? decision.problem : refusal(plan, decision, moment);
    await next();
  };
}

/** The record of the key that a request presents in its one Authorization header, if that is valid. */
export async function presentedKey(
  storage: Storage,
  rawHeaders: readonly string[],
): Promise<KeyRecord | undefined> {
  const values = rawHeaders.filter(
    (_value, place) => place % 2 === 1 && rawHeaders[place - 1]?.toLowerCase() === "authorization",
  );
  const token = bearerToken(values.length === 1 ? (values[0] ?? "") : "");
  return token === undefined ? undefined : findKey(storage, token);
}

/** The Problem of a request without a valid key. */
export function unauthorized(): Problem {
  const message = "the API key is missing or not valid: send it as Authorization: Bearer <API_KEY>";
  return new Problem(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

function planOf({ id, plan }: KeyRecord): Plan {
  const known = parsePlan(plan);
  if (known === undefined) throw new Error(`the plan of the key ${id} is unknown: ${plan}`);
  return known;
}

function refusal(
  plan: Plan,
  { code, until }: { readonly code: "rate_limited" | "key_banned"; readonly until: number },
  now: number,
): Problem {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while, because it kept asking after it was told to wait"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new Problem(429, code, message, { "Retry-After": String(seconds) });
}
