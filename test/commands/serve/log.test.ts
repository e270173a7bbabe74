import { expect, it } from "vitest";
import type { Context } from "../../../src/commands/context.ts";
import { consoleLogger } from "../../../src/commands/serve/log.ts";
import { noFault } from "../../../src/server/http/exchange.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

const noon = Date.UTC(2026, 10, 21, 12);
const sent = sentOf(200);
const fault = (name: string) => ({ fault: { ...noFault, name } });

/** Returns what is logged at noon on standard error. */
function reports(verbose: boolean) {
  const told: string[] = [];
  const context = {
    clock: { now: () => noon, monotonic: () => 0 },
    settings: { verbose },
    stderr: { write: async (text: string) => void told.push(text) },
  } as unknown as Context;
  return { told, ...consoleLogger(context) };
}

it.each([
  ["its status", {}, "200 2500 ms"],
  ["that its client left", { sent: undefined }, "client gone 2500 ms"],
  ["that the page sent it", { isPage: true }, "200 2500 ms, page"],
  ["the fault it met", { ...fault("429"), sent: sentOf(429) }, "429 2500 ms, fault 429"],
  [
    "that it got no reply",
    { ...fault("hang"), sent: undefined },
    "no response 2500 ms, fault hang",
  ],
])("logs when a request arrived, and %s", (_what, odd, end) => {
  const { told, onRequest } = reports(true);
  onRequest?.(
    endedExchange({ sent, keyId: "00ff", endedAt: 2_500.4, ...odd }),
    "/v1/pets?\u001b[2J",
  );
  const line = String.raw`127.0.0.1 00ff GET /v1/pets?\x1b[2J`;
  expect(told).toEqual([`2026-11-21T11:59:57.499Z ${line} ${end}\n`]);
});

it("logs requests only with --verbose, and an error without its stack otherwise", () => {
  const { told, onRequest, onError } = reports(false);
  expect(onRequest).toBeUndefined();
  onError(new Error("no\nmore"));
  onError("odd");
  expect(told).toEqual([
    String.raw`2026-11-21T12:00:00.000Z the store failed: no\nmore` + "\n",
    "2026-11-21T12:00:00.000Z the store failed: odd\n",
  ]);
});

it("has a - for a request without a valid key", () => {
  const { told, onRequest } = reports(true);
  onRequest?.(endedExchange({ sent: sentOf(401) }), "/v1/pets");
  expect(told).toEqual(["2026-11-21T11:59:59.999Z 127.0.0.1 - GET /v1/pets 401 1 ms\n"]);
});
