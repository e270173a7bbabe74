import type { Scenario } from "../scenario.ts";

export const slowResponse: Scenario = {
  name: "slow-response",
  advice: "A response that comes in drops is read to its end.",
  script: [{ on: "*", do: "slow", over: "500ms" }],
  mustSucceed: true,
};
