import type { Scenario } from "../scenario.ts";

export const get502Html: Scenario = {
  name: "get-502-html",
  advice:
    "An error of a proxy has a body of HTML: do not parse it as JSON, and send the `GET` again.",
  script: [{ on: "GET", do: 502, body: "html" }],
  mustSucceed: true,
};
