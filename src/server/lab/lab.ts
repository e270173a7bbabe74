import type { NewPet } from "../../core/pet.ts";
import type { StoreClock } from "../clock.ts";
import type { StoreData } from "../storage/storage.ts";
import { labAdmission } from "./admission.ts";
import { faultPlanner, keyPlaces } from "./fault-planner.ts";
import { faultPlan, type FaultSettings } from "./plan.ts";
import type { ScriptStep } from "./script/parse-script.ts";
import { makeScript } from "./script/script.ts";

/** How a lab begins. */
export interface LabSettings {
  readonly faults: FaultSettings;
  readonly script?: readonly ScriptStep[];
  /** The animals that a reset restores. */
  readonly seed: readonly NewPet[];
}

/** What may be changed in a store while it runs (`help store`). */
export type Lab = ReturnType<typeof makeLab>;

/** Makes the lab of data that belongs to this process alone. */
export function makeLab(
  own: NonNullable<StoreData["local"]>,
  clock: StoreClock,
  settings: LabSettings,
) {
  const plan = faultPlan(settings.faults);
  const script = makeScript(settings.script ?? [], clock.now);
  const { prepare, latencyOf } = faultPlanner(plan, script, keyPlaces(own.storage));
  const { admit, clear } = labAdmission(own.limits, prepare, clock.now);
  return {
    clock,
    script,
    admit,
    latencyOf,
    change: plan.change,
    /** Restores the seed, and all that was in force at the start, but not the time. */
    reset: (): void => {
      own.storage.replaceAll(settings.seed);
      clear();
      plan.restart();
      script.restart();
    },
  };
}
