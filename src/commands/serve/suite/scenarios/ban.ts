import type { Scenario } from "../scenario.ts";

export const ban: Scenario = {
  name: "ban",
  advice: "A banned key waits until the ban has ended, and then goes on.",
  script: [],
  plan: "8/2s,100000/day",
  ban: "2s",
  before: "ban",
  mustSucceed: true,
};
