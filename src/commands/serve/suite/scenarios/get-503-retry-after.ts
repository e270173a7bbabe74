import type { Scenario } from "../scenario.ts";

export const get503RetryAfter: Scenario = {
  name: "get-503-retry-after",
  advice: "A 503 with `Retry-After` is a wait as well: send the `GET` again once it has elapsed.",
  script: [{ on: "GET", do: 503, retryAfter: 1 }],
  mustSucceed: true,
};
