import type { Scenario } from "../scenario.ts";

export const postStoredHang: Scenario = {
  name: "post-stored-hang",
  advice: "A `POST` that gets no response in time may have been carried out: do not send it again.",
  script: [{ on: "POST", do: "hang", kept: true }],
  mustSucceed: false,
};
