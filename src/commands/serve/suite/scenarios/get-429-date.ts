import type { Scenario } from "../scenario.ts";

export const get429Date: Scenario = {
  name: "get-429-date",
  advice:
    "`Retry-After` may be an HTTP date: wait until then, counted from the `Date` of the response.",
  script: [{ on: "GET", do: 429, retryAfter: "date" }],
  mustSucceed: true,
};
