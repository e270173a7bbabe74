import type { Scenario } from "../scenario.ts";

export const get504: Scenario = {
  name: "get-504",
  advice: "A `GET` that fails with 504 is sent again.",
  script: [{ on: "GET", do: 504 }],
  mustSucceed: true,
};
