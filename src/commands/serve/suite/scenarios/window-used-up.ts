import type { Scenario } from "../scenario.ts";

export const windowUsedUp: Scenario = {
  name: "window-used-up",
  advice:
    "With no requests left in a window (`X-RateLimit-Remaining: 0`), wait for its reset; never send before a `Retry-After` has elapsed.",
  script: [],
  plan: "2/2s,100000/day",
  mustSucceed: true,
};
