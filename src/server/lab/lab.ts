import * as z from "zod/mini";
import type { NewPet } from "../../core/pet.ts";
import { isoTime } from "../../core/times.ts";
import { badRequest, forbidden } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import { advanceSyntax, type StoreClock } from "../clock.ts";
import { bodyOf } from "../http/body.ts";
import type { Admitted } from "../http/exchange.ts";
import type { Route } from "../routes/router.ts";
import { jsonResponse, readObject } from "../routes/store-area.ts";
import type { Storage, StoreData } from "../storage/storage.ts";
import { type FaultSettings, makeFaults } from "./faults.ts";
import { parsed, readInput } from "./read-input.ts";
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
type Lab = ReturnType<typeof makeLab>;

/** Makes the lab of data that belongs to this process alone. */
export function makeLab(
  { storage, limits }: NonNullable<StoreData["local"]>,
  clock: StoreClock,
  settings: LabSettings,
) {
  const script = makeScript(settings.script ?? [], clock.now);
  const faults = makeFaults(settings.faultSeed, settings, script);
  return {
    ...faults,
    peek: limits.peek,
    placeOf: keyPlaces(storage),
    script,
    /** What can be read, and changed by the body of a POST. If `change` throws an ApiError, it changed nothing. */
    settings: {
      faults,
      clock: {
        read: () => ({ now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen() }),
        change: (admitted: Admitted) => changeClock(clock, admitted),
      },
      script: {
        read: () => ({ steps: script.steps() }),
        change: (admitted: Admitted) =>
          script.replace(parseScript(Buffer.from(bodyOf(admitted)).toString())),
      },
    },
    /** Restores the seed, and all that was in force at the start, but not the time. */
    reset: (): void => {
      storage.replaceAll(settings.pets);
      limits.clear();
      faults.reset();
      script.restart();
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

const clockFields = z.strictObject({
  advance: z.optional(parsed(advanceSyntax)),
  set: z.optional(parsed(isoTime)),
  frozen: z.optional(z.boolean("true or false")),
});

function changeClock(clock: StoreClock, admitted: Admitted): void {
  const body = readObject(admitted, '{"advance":"61s"}');
  const { advance, set, frozen } = readInput(clockFields, body);
  if (Object.keys(body).length === 0 || (advance !== undefined && set !== undefined))
    throw badRequest(
      'the body must have one of advance and set, or frozen, such as {"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"} or {"frozen":true}',
    );
  const target = advance === undefined ? set : clock.now() + advance;
  if (target !== undefined && !clock.set(target))
    throw badRequest("the store's time is never set back, nor past the year 9999");
  if (frozen !== undefined) clock.freeze(frozen);
}

/** Returns the routes below `/_store` that tell what is in force, and change it; `announce` tells the page of a change. */
export function labRoutes(
  lab: Lab | undefined,
  now: () => number,
  announce: (event: string, value: unknown) => void,
  afterReset: () => Promise<RouteResponse>,
): readonly Route[] {
  const own = (): Lab => {
    if (lab !== undefined) return lab;
    throw forbidden("the store can only be changed or reset if it was started with --lab");
  };
  const withoutLab = {
    faults: () => ({ fault: "", latency: "0" }),
    clock: () => ({ now: new Date(now()).toISOString(), frozen: false }),
    script: () => ({ steps: [] }),
  };
  const settings = (["faults", "clock", "script"] as const).map((name) => {
    const read = lab?.settings[name].read ?? withoutLab[name];
    return {
      path: `/_store/${name}`,
      GET: () => jsonResponse<typeof name>(read()),
      POST: (admitted: Admitted) => {
        own().settings[name].change(admitted);
        announce(name, read());
        return jsonResponse<typeof name>(read());
      },
    };
  });
  return [...settings, { path: "/_store/reset", POST: () => (own().reset(), afterReset()) }];
}
