import type { Scenario } from "../scenario.ts";

export const postStoredReset: Scenario = {
  name: "post-stored-reset",
  advice:
    "A `POST` whose connection is reset may have been carried out: do not send it again, report that the outcome is unknown.",
  script: [{ on: "POST", do: "reset", kept: true }],
  mustSucceed: false,
};
