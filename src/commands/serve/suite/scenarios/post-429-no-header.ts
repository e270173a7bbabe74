import type { Scenario } from "../scenario.ts";

export const post429NoHeader: Scenario = {
  name: "post-429-no-header",
  advice:
    "A refused `POST` did nothing, so it is sent again, without `Retry-After` after a moment of your own choice.",
  script: [{ on: "POST", do: 429 }],
  mustSucceed: true,
};
