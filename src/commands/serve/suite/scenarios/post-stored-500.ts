import type { Scenario } from "../scenario.ts";

export const postStored500: Scenario = {
  name: "post-stored-500",
  advice: "A `POST` that fails with 500 may have been carried out: do not send it again.",
  script: [{ on: "POST", do: 500, kept: true }],
  mustSucceed: false,
};
