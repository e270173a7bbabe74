import type { Scenario } from "../scenario.ts";

export const get429Twice: Scenario = {
  name: "get-429-twice",
  advice: "A `GET` that is refused twice in a row waits twice.",
  script: [{ on: "GET", do: 429, retryAfter: 1, times: 2 }],
  mustSucceed: true,
};
