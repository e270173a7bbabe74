import type { Scenario } from "../scenario.ts";

export const getHang: Scenario = {
  name: "get-hang",
  advice: "A `GET` that gets no response needs a time limit, after which it is sent again.",
  script: [{ on: "GET", do: "hang" }],
  mustSucceed: true,
};
