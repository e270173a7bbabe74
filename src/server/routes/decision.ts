import { ApiError, forbidden } from "../api/errors.ts";
import type { Moment } from "../clock.ts";
import { readBody } from "../http/body.ts";
import {
  type Admitted,
  type Arrived,
  carriedOut,
  type Decision,
  type Fault,
} from "../http/exchange.ts";
import type { AnnouncedWaits } from "../judge/waits.ts";
import type { KeyRecord } from "../keys.ts";
import { type Refusal, unlimitedWindow } from "../rate-limits/limits.ts";
import { describePlan, parsePlan, type Plan, unknownPlan } from "../rate-limits/plans.ts";
import type { LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Storage } from "../storage/storage.ts";
import { presentedKey, requireKey } from "./own-key.ts";
import type { Area } from "./router.ts";

/** What a request is checked against. */
interface DecisionParts {
  readonly storage: Pick<Storage, "findKey">;
  readonly limits: UsageLedger;
  readonly waits: AnnouncedWaits;
  readonly lab?: RequestLab | undefined;
  /** Returns the response for an error. */
  readonly failed: (error: unknown) => ApiError;
}

/** What decides on the fault of a request. */
interface RequestLab extends Pick<LocalLedger, "peek"> {
  /** Returns the number of a key among the store's keys. */
  placeOf(keyId: string): Promise<number | undefined>;
  /** `isOpen` is whether the limits admit the request. */
  faultOf(request: FaultRequest, isOpen: boolean): Fault;
  /** Returns the latency of a request without a valid key. */
  latencyOf(request: FaultRequest): Fault;
}

/** What a fault depends on. */
export interface FaultRequest extends Pick<Admitted, "request" | "body"> {
  /** The place of its key among the store's keys. */
  readonly place?: number | undefined;
}

/** Returns the area of the service: a valid key is required, and each request counts towards its limits. */
export function serviceArea(parts: DecisionParts): Area {
  const { storage, limits, lab, failed } = parts;
  const refuse = (request: FaultRequest, error: unknown, keyId?: string): Decision => {
    const reply = failed(error);
    const now = request.request.now().store;
    // A key that is no longer valid has no window either.
    const own =
      keyId === undefined || reply.status === 401 ? undefined : limits.lastWindow?.(keyId, now);
    const window = own ?? limits.countAnonymous(request.request.connection.remoteAddress, now);
    return { carryOut: false, reply, window, fault: lab?.latencyOf(request) };
  };
  return {
    prefix: "/v1",
    admit: async (request, isPage) => {
      if (isPage) {
        const decision = { ...carriedOut, window: unlimitedWindow(request.now().store) };
        return { request, isPage, body: await readBody(request), decision };
      }
      const presented = presentedKey(request);
      const { key } = presented;
      let keyId: string | undefined;
      let body: Admitted["body"];
      let decision: Decision;
      try {
        const record = await requireKey(presented, storage.findKey);
        keyId = record.id;
        const plan = planOf(record);
        const place = lab && (await lab.placeOf(keyId));
        const reading = readBody(request);
        body = reading instanceof Promise ? await reading : reading;
        decision = await decide(parts, { request, keyId, plan, place, body });
      } catch (error) {
        decision = refuse({ request, body }, error, keyId);
      }
      return { request, isPage, key, keyId, body, decision };
    },
  };
}

function planOf({ id, plan }: KeyRecord): Plan {
  const known = parsePlan(plan);
  if (known === undefined) throw unknownPlan(id, plan);
  return known;
}

/** Decides on a request with a valid key, once and at one moment (README.md): its fault, its limits, and its response. */
async function decide(
  { limits, lab, waits }: DecisionParts,
  keyRequest: FaultRequest & { readonly keyId: string; readonly plan: Plan },
): Promise<Decision> {
  const { request, keyId, plan } = keyRequest;
  const now = request.now();
  const { isEarly, breaksLimits } = waits.check(keyId, request);
  const open = lab?.peek(keyId, plan, now);
  const fault = open ? lab?.faultOf(keyRequest, open.isOpen) : faultWithoutLab(request);
  const reply = fault?.response;
  if (open !== undefined && reply?.status === 429)
    return { carryOut: open.isOpen, reply, isEarly, fault, window: open.window };
  const admission = await limits.admit(keyId, plan, { arrived: request.at, now }, breaksLimits);
  const { window } = admission;
  if (admission.allowed) return { carryOut: true, reply, isEarly, fault, window };
  if (reply !== undefined) return { carryOut: false, reply, isEarly, fault, window };
  waits.announce(keyId, admission.until);
  const error = limitError(plan, admission, request.now());
  return { carryOut: false, reply: error, isEarly, fault, window, refusal: admission };
}

/** A client that asks for a fault must not take the usual response for one. */
function faultWithoutLab({ incoming }: Arrived): Fault | undefined {
  if (incoming.headers["x-pets-fault"] === undefined) return undefined;
  const response = forbidden("X-Pets-Fault needs a store that was started with --lab");
  return { isKept: false, response };
}

function limitError(plan: Plan, { code, until }: Refusal, { store: now }: Moment): ApiError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const reason =
    code === "key_banned"
      ? "the key is banned for a while: it sent requests before Retry-After had elapsed"
      : `the limit is reached: ${describePlan(plan)}`;
  const message = `${reason}; wait ${seconds} s`;
  return new ApiError(429, code, message, { "Retry-After": String(seconds) });
}
