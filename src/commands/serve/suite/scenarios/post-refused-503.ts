import type { Scenario } from "../scenario.ts";

export const postRefused503: Scenario = {
  name: "post-refused-503",
  advice:
    "A `POST` that is refused with 503 was not carried out, but nothing says so: end with an error, or look first whether the animal is there.",
  script: [{ on: "POST", do: 503, retryAfter: 1 }],
  mustSucceed: false,
};
