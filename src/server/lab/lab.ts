import type { NewPet } from "../../core/pet.ts";
import type { StoreClock } from "../clock.ts";
import type { LocalLedger } from "../rate-limits/usage-ledger.ts";
import type { RequestGate } from "../routes/auth.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";
import { labAdmission } from "./admission.ts";
import { type FaultPlanner, faultPlanner, keyPlaces } from "./fault-planner.ts";
import { lockedStorage } from "./locked-storage.ts";
import { type ChangeFaults, faultPlan, type FaultSettings } from "./plan.ts";
import { makeScript, type Script } from "./script/script.ts";
import type { ScriptStep } from "./script/parse-script.ts";

/** How a lab begins. */
export interface LabSettings {
  readonly faults: FaultSettings;
  readonly script?: readonly ScriptStep[];
  /** The animals that a reset restores. */
  readonly seed: () => Iterable<NewPet> | AsyncIterable<NewPet>;
}

/** What may be changed in a store while it runs (`help store`). */
export interface Lab extends RequestGate, Pick<FaultPlanner, "latencyOf"> {
  /** The storage to serve instead of the original one. */
  readonly storage: Storage;
  readonly clock: StoreClock;
  readonly script: Script;
  readonly change: ChangeFaults;
  /** Restores the seed, and all that was in force at the start, but not the time; calls `then` before requests go on. */
  reset(then: () => void): Promise<void>;
}

/** Makes the lab of data that belongs to this process alone. */
export function makeLab(
  own: { readonly storage: OwnStorage; readonly limits: LocalLedger },
  clock: StoreClock,
  settings: LabSettings,
): Lab {
  const plan = faultPlan(settings.faults);
  const script = makeScript(settings.script ?? [], clock.now);
  const planner = faultPlanner({ plan, script, keyPlace: keyPlaces(own.storage) });
  const { storage, reset } = lockedStorage(own.storage);
  const { admit, clear } = labAdmission(own.limits, planner, clock.now);
  return {
    storage,
    clock,
    script,
    admit,
    latencyOf: planner.latencyOf,
    change: plan.change,
    reset: (then) =>
      reset(settings.seed(), () => {
        clear();
        plan.restart();
        script.restart();
        then();
      }),
  };
}
