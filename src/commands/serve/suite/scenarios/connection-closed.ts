import type { Scenario } from "../scenario.ts";

export const connectionClosed: Scenario = {
  name: "connection-closed",
  advice: "A connection that the server has closed between two requests is replaced by a new one.",
  script: [{ on: "*", do: "close", times: 2 }],
  mustSucceed: true,
};
