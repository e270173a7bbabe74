import { ApiError, unauthorized } from "../api/errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange, Fault } from "../http/exchange.ts";
import type { AnnouncedWaits } from "../judge/waits.ts";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { type Refusal, unlimitedWindow } from "../rate-limits/limits.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import type { LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import type { Area } from "./router.ts";

/** What a request is checked against. `now` is the store's time in ms since the epoch. */
interface AuthParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  readonly now: () => number;
  readonly waits: AnnouncedWaits;
  readonly lab?: RequestLab | undefined;
}

/** What decides on the fault of a request. */
interface RequestLab extends Pick<LocalLedger, "peek"> {
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
  const admit = async (exchange: Exchange): Promise<void> => {
    if (exchange.isPage) {
      exchange.body = await readBody(exchange);
      exchange.window = unlimitedWindow(now());
      return;
    }
    const key = await findOwnKey(storage, exchange);
    if (key === undefined) throw unauthorized();
    const plan = parsePlan(key.plan);
    if (plan === undefined) throw unknownPlan(key.id, key.plan);
    const place = await lab?.placeOf(key.id);
    exchange.body = await readBody(exchange);
    await decide(parts, exchange, key.id, plan, place);
  };
  return {
    prefix: "/v1",
    admit: (exchange) =>
      admit(exchange).catch((error: unknown) => {
        const { keyId, connection } = exchange;
        exchange.fault ??= lab?.latencyOf(exchange);
        exchange.window ??=
          (keyId !== undefined && limits.lastWindow?.(keyId)) ||
          limits.countAnonymous(connection.remoteAddress, now());
        throw error;
      }),
  };
}

/**
 * Decides on a request with a valid key, once and at one moment: whether it is early, its fault, and whether its limits
 * admit it. A forced 429 takes the place of the limits, counts in no window, and leads to no ban; another response of a
 * script is sent even where the limits refuse the request. Throws an ApiError (429).
 */
async function decide(
  { limits, now, lab, waits }: AuthParts,
  exchange: Exchange,
  keyId: string,
  plan: Plan,
  place: number | undefined,
): Promise<void> {
  const moment = now();
  const { arrivedAt, arrivedAtStore, connection } = exchange;
  const arrived = { key: keyId, connection: connection.number, arrivedAt, arrivedAtStore };
  const { isEarly, breaksLimits } = waits.check(arrived);
  exchange.isEarly = isEarly;
  const open = lab?.peek(keyId, plan, moment);
  exchange.fault = open && lab?.faultOf(exchange, place, open.isOpen);
  const { response: forced, isKept = true } = exchange.fault ?? {};
  if (open !== undefined && forced?.status === 429) {
    exchange.window = open.window;
    exchange.isHandled = open.isOpen && isKept;
    return;
  }
  const decision = await limits.admit(keyId, plan, moment, breaksLimits);
  exchange.window = decision.window;
  exchange.isHandled = decision.allowed && (forced === undefined || isKept);
  if (decision.allowed || forced !== undefined) return;
  waits.announce(keyId);
  exchange.refusal = decision;
  throw limitError(plan, decision, now());
}

/** What was read last, as most clients send one header: hashing costs a tenth of a request. */
let last = readAuthorization("");

function readAuthorization(header: string) {
  const key = bearerToken(header);
  return { header, key, record: key === undefined ? undefined : keyRecord(key, "") };
}

/** Returns the record of the key in a request's one Authorization header, if it is valid, and notes both. */
export async function findOwnKey(
  storage: Storage,
  exchange: Exchange,
): Promise<KeyRecord | undefined> {
  const { authorization = "" } = exchange.incoming.headers;
  if (last.header !== authorization) last = readAuthorization(authorization);
  const { key, record: presented } = last;
  exchange.key = key;
  if (presented === undefined) return undefined;
  const kept = await storage.findKey(presented.id);
  if (kept === undefined || !isSameKey(kept, presented)) return undefined;
  exchange.keyId = kept.id;
  return kept;
}

function limitError(plan: Plan, { code, until }: Refusal, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while: it sent requests before Retry-After had elapsed"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new ApiError(429, code, message, { "Retry-After": String(seconds) });
}
