import type { Scenario } from "../scenario.ts";

export const interimResponse: Scenario = {
  name: "interim-response",
  advice: "An interim response (103) comes before the final one, which is the one that counts.",
  script: [{ on: "*", do: "interim", times: 2 }],
  mustSucceed: true,
};
