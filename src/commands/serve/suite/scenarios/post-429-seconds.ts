import type { Scenario } from "../scenario.ts";

export const post429Seconds: Scenario = {
  name: "post-429-seconds",
  advice: "A refused `POST` did nothing: send it again once `Retry-After` has elapsed.",
  script: [{ on: "POST", do: 429, retryAfter: 1 }],
  mustSucceed: true,
};
