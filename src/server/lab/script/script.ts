import type { Trouble } from "../trouble.ts";
import type { ScriptStep } from "./parse-script.ts";
import type { ScriptedRequest } from "./step-fields.ts";

/** A step as it was written, and how many requests have taken it. */
export interface ListedStep {
  readonly taken: number;
  readonly [field: string]: unknown;
}

/** The trouble of requests in a given order (`help store`). */
export type Script = ReturnType<typeof makeScript>;

/** Makes a script. `now` is the store's time in ms since the epoch. */
export function makeScript(initial: readonly ScriptStep[], now: () => number) {
  let steps = initial.map((step) => ({ step, taken: 0 }));
  return {
    /** Returns whether there are steps. */
    isInForce: (): boolean => steps.length > 0,
    /** Takes the first step that is for a request and not used up; returns its trouble. */
    take: (request: ScriptedRequest): Trouble | undefined => {
      const at = steps.findIndex(({ step, taken }) => taken < step.times && step.matches(request));
      const entry = steps[at];
      if (entry === undefined) return undefined;
      entry.taken += 1;
      return { ...entry.step.trouble(now()), name: `step ${at + 1}` };
    },
    steps: (): readonly ListedStep[] => steps.map(({ step, taken }) => ({ ...step.source, taken })),
    /** Puts other steps in force, none of them taken. */
    replace: (next: readonly ScriptStep[]): void => {
      steps = next.map((step) => ({ step, taken: 0 }));
    },
    /** Begins again. */
    restart: (): void => {
      for (const entry of steps) entry.taken = 0;
    },
  };
}
