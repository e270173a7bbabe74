import type { Scenario } from "../scenario.ts";

export const postStored502Html: Scenario = {
  name: "post-stored-502-html",
  advice:
    "A `POST` to which a proxy responds with 502 may have been carried out: do not send it again.",
  script: [{ on: "POST", do: 502, body: "html", kept: true }],
  mustSucceed: false,
};
