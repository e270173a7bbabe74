import type { Scenario } from "../scenario.ts";

export const get429Seconds: Scenario = {
  name: "get-429-seconds",
  advice:
    "A `GET` that is refused with `Retry-After` in seconds is sent again once they have elapsed.",
  script: [{ on: "GET", do: 429, retryAfter: 1 }],
  mustSucceed: true,
};
