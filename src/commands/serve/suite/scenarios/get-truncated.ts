import type { Scenario } from "../scenario.ts";

export const getTruncated: Scenario = {
  name: "get-truncated",
  advice: "A response that ends before its `Content-Length` is no response: send the `GET` again.",
  script: [{ on: "GET", do: "truncate" }],
  mustSucceed: true,
};
