import type { Scenario } from "../scenario.ts";

export const get503: Scenario = {
  name: "get-503",
  advice: "A `GET` that fails with 503 is sent again after a moment.",
  script: [{ on: "GET", do: 503 }],
  mustSucceed: true,
};
