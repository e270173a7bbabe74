import { ApiError, forbidden, unauthorized } from "../api/errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange, Fault } from "../http/exchange.ts";
import type { AnnouncedWaits } from "../judge/waits.ts";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import { type Refusal, unlimitedWindow } from "../rate-limits/limits.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import type { LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import type { Admission, Area } from "./router.ts";

/** What a request is checked against. */
interface AuthParts {
  readonly storage: Storage;
  readonly limits: UsageLedger;
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
  const { storage, limits, lab } = parts;
  const admit = async (exchange: Exchange): Promise<Admission> => {
    if (exchange.isPage) {
      exchange.body = await readBody(exchange);
      exchange.window = unlimitedWindow(exchange.clocks.now());
      return { carryOut: true };
    }
    const key = await requireOwnKey(storage.findKey, exchange);
    const plan = parsePlan(key.plan);
    if (plan === undefined) throw unknownPlan(key.id, key.plan);
    const place = await lab?.placeOf(key.id);
    exchange.body = await readBody(exchange);
    return decide(parts, exchange, key.id, plan, place);
  };
  return {
    prefix: "/v1",
    admit: (exchange) =>
      admit(exchange).catch((error: unknown) => {
        const { keyId, connection, clocks } = exchange;
        exchange.fault ??= lab?.latencyOf(exchange);
        exchange.window ??=
          (keyId !== undefined && limits.lastWindow?.(keyId)) ||
          limits.countAnonymous(connection.remoteAddress, clocks.now());
        throw error;
      }),
  };
}

/** Decides on a request with a valid key, once and at one moment (README.md): its fault, its limits, and its response. */
async function decide(
  { limits, lab, waits }: AuthParts,
  exchange: Exchange,
  keyId: string,
  plan: Plan,
  place: number | undefined,
): Promise<Admission> {
  const { arrivedAt, arrivedAtStore, connection, clocks } = exchange;
  const now = clocks.now();
  const arrived = { key: keyId, connection: connection.number, arrivedAt, arrivedAtStore };
  const { isEarly, breaksLimits } = waits.check(arrived);
  exchange.isEarly = isEarly;
  const open = lab?.peek(keyId, plan, now);
  exchange.fault = open ? lab?.faultOf(exchange, place, open.isOpen) : faultWithoutLab(exchange);
  const reply = exchange.fault?.response;
  if (open !== undefined && reply?.status === 429) {
    exchange.window = open.window;
    return { carryOut: open.isOpen, reply };
  }
  const moments = { arrivedAt: now - (clocks.elapsed() - arrivedAt), now };
  const decision = await limits.admit(keyId, plan, moments, breaksLimits);
  exchange.window = decision.window;
  if (decision.allowed) return { carryOut: true, reply };
  if (reply !== undefined) return { carryOut: false, reply };
  waits.announce(keyId, decision.until);
  exchange.refusal = decision;
  return { carryOut: false, reply: limitError(plan, decision, clocks.now()) };
}

/** A client that asks for a fault must not take the usual response for one. */
function faultWithoutLab({ incoming }: Exchange): Fault | undefined {
  if (incoming.headers["x-pets-fault"] === undefined) return undefined;
  const response = forbidden("X-Pets-Fault needs a store that was started with --lab");
  return { isKept: false, response };
}

/** What was read last, as most clients send one header: hashing costs a tenth of a request. */
let last = readAuthorization("");

function readAuthorization(header: string) {
  const key = bearerToken(header);
  return { header, key, record: key === undefined ? undefined : keyRecord(key, "") };
}

/** Returns the record of the key in a request's one Authorization header, and notes both. Throws the 401 if `find` does not know it. */
export async function requireOwnKey(
  find: Storage["findKey"],
  exchange: Exchange,
): Promise<KeyRecord> {
  const { authorization } = exchange.incoming.headers;
  if (last.header !== (authorization ?? "")) last = readAuthorization(authorization ?? "");
  const { key, record: presented } = last;
  exchange.key = key;
  const kept = presented && (await find(presented.id));
  if (presented === undefined || kept === undefined || !isSameKey(kept, presented))
    throw unauthorized(authorization);
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
