import type { Scenario } from "../scenario.ts";

export const getReset: Scenario = {
  name: "get-reset",
  advice: "A `GET` whose connection is reset is sent again.",
  script: [{ on: "GET", do: "reset" }],
  mustSucceed: true,
};
