import type { Scenario } from "../scenario.ts";

export const get500: Scenario = {
  name: "get-500",
  advice: "A `GET` that fails with 500 is sent again.",
  script: [{ on: "GET", do: 500 }],
  mustSucceed: true,
};
