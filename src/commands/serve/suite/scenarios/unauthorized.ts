import type { Scenario } from "../scenario.ts";

export const unauthorized: Scenario = {
  name: "unauthorized",
  advice:
    "After a 401 the same request has no better luck: report it, and send it no more than three times.",
  script: [],
  before: "revoke",
  mustSucceed: false,
};
