import type { Scenario } from "../scenario.ts";

export const get429NoHeader: Scenario = {
  name: "get-429-no-header",
  advice:
    "A 429 without `Retry-After` means: wait for a moment of your own choice, then send the `GET` again.",
  script: [{ on: "GET", do: 429 }],
  mustSucceed: true,
};
