import * as z from "zod/mini";
import type { NewPet } from "../../core/pet.ts";
import { parseDuration, parseIsoTime } from "../../core/times.ts";
import type { StoreClock } from "../clock.ts";
import type { RequestLab } from "../routes/auth.ts";
import type { Storage, StoreData } from "../storage/storage.ts";
import {
  allowedLatency,
  faultProblem,
  formatFaults,
  formatLatency,
  parseFaults,
  parseLatency,
  withShares,
} from "./fault-spec.ts";
import { type FaultSettings, faultSource } from "./faults.ts";
import { InvalidInput, parsed, readInput, shown } from "./read-input.ts";
import { makeScript, parseScript, type ScriptStep } from "./script.ts";

/** How a lab begins. */
export interface LabSettings extends FaultSettings {
  /** The seed of the faults: a whole number from 0 to 2^32 - 1. */
  readonly faultSeed: number;
  readonly script?: readonly ScriptStep[];
  /** The animals that a reset restores. */
  readonly pets: readonly NewPet[];
}

/** What may be changed in a store while it runs (`help store`). */
export type Lab = ReturnType<typeof makeLab>;

type Fields = Readonly<Record<string, unknown>>;

/** Makes the lab of data that belongs to this process alone. */
export function makeLab(
  own: NonNullable<StoreData["local"]>,
  clock: StoreClock,
  { shares, latency, faultSeed, script: steps = [], pets }: LabSettings,
) {
  let inForce: FaultSettings = { shares, latency };
  const script = makeScript(steps, clock.now);
  const { faultOf, latencyOf, restart } = faultSource(faultSeed, script, () => inForce);
  const decides: RequestLab = {
    peek: (keyId, plan, now) => own.limits.peek(keyId, plan, now),
    placeOf: keyPlaces(own.storage),
    faultOf,
    latencyOf,
  };
  return {
    ...decides,
    script,
    faults: () => ({
      fault: formatFaults(inForce.shares),
      latency: formatLatency(inForce.latency),
    }),
    /** Applies the fields `fault`, `latency` and `change` of a body. Throws an InvalidInput, and then changes nothing. */
    changeFaults: (body: Fields): void => void (inForce = changedFaults(inForce, body)),
    time: () => ({ now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen() }),
    /** Applies the fields `advance`, `set` and `frozen` of a body. Throws an InvalidInput, and then changes nothing. */
    changeTime: (body: Fields): void => changeClock(clock, body),
    /** Puts the script in this text in force. Throws an InvalidInput, and then changes nothing. */
    changeScript: (text: string): void => script.replace(parseScript(text)),
    /** Restores the seed, and all that was in force at the start, but not the time. */
    reset: (): void => {
      own.storage.replaceAll(pets);
      own.limits.clear();
      restart();
      script.restart();
      inForce = { shares, latency };
    },
  };
}

/** Returns a function that returns the number of a key among those in `storage`; a key keeps its number when others are removed. */
export function keyPlaces(storage: Pick<Storage, "listKeys">) {
  const places = new Map<string, number>();
  return async (keyId: string): Promise<number | undefined> => {
    if (!places.has(keyId))
      for (const { id } of await storage.listKeys())
        if (!places.has(id)) places.set(id, places.size);
    return places.get(keyId);
  };
}

const textOrOff = z.optional(parsed("text", (text) => (text === "off" ? "" : text)));
/** `change` is like `fault`, and leaves the kinds that it does not name as they are. */
const faultFields = z.strictObject({ fault: textOrOff, latency: textOrOff, change: textOrOff });

function changedFaults(inForce: FaultSettings, body: Fields): FaultSettings {
  const { fault, change, latency: delay } = readInput(faultFields, body);
  let { shares, latency }: Partial<FaultSettings> = inForce;
  if (fault !== undefined) shares = parseFaults(fault);
  if (change !== undefined) shares = withShares(inForce.shares, change);
  if (shares === undefined) throw new InvalidInput(faultProblem(change ?? fault ?? ""));
  if (delay !== undefined) latency = parseLatency(delay || "0");
  if (latency !== undefined) return { shares, latency };
  const allowed = allowedLatency(delay ?? "");
  throw new InvalidInput(`latency must be ${allowed}, not ${shown(delay)}`);
}

const clockExample = '{"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"} or {"frozen":true}';

const clockFields = z.strictObject({
  advance: z.optional(
    parsed('a duration, such as "61s", "10m" or "1d"', (text) =>
      parseDuration(text.replace(/^\+/, ""), { hasDays: true }),
    ),
  ),
  set: z.optional(
    parsed('a time in ISO 8601 from 1970 to 9999, such as "2030-12-05T00:00:00Z"', parseIsoTime),
  ),
  frozen: z.optional(z.boolean("true or false")),
});

function changeClock(clock: StoreClock, body: Fields): void {
  const { advance, set, frozen } = readInput(clockFields, body);
  if (Object.keys(body).length === 0 || (advance !== undefined && set !== undefined))
    throw new InvalidInput(
      `the body must have one of advance and set, or frozen, such as ${clockExample}`,
    );
  const target = advance === undefined ? set : clock.now() + advance;
  if (target !== undefined && !clock.set(target))
    throw new InvalidInput("the store's time is never set back, nor past the year 9999");
  if (frozen !== undefined) clock.freeze(frozen);
}
