import type { Scenario } from "../scenario.ts";

export const postStoredTruncated: Scenario = {
  name: "post-stored-truncated",
  advice: "A `POST` whose response is cut off was carried out: do not send it again.",
  script: [{ on: "POST", do: "truncate" }],
  mustSucceed: false,
};
