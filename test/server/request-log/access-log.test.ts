import { describe, expect, it } from "vitest";
import { noTrouble } from "../../../src/server/lab/trouble.ts";
import { accessLog, type AccessLogEntry } from "../../../src/server/request-log/access-log.ts";
import { makeKey } from "../../../src/server/keys.ts";
import { requestMasks } from "../../../src/server/secrets.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

const key = makeKey();

/** Returns what is logged of one request. */
function logged(described: Parameters<typeof endedExchange>[0]): AccessLogEntry | undefined {
  const entries: AccessLogEntry[] = [];
  const { maskOf } = requestMasks([key]);
  accessLog((entry) => entries.push(entry), maskOf)(endedExchange(described));
  return entries[0];
}

describe("accessLog", () => {
  it("reports a request", () => {
    expect(logged({ remoteAddress: "::1", sent: sentOf(404) })).toEqual({
      address: "::1",
      method: "GET",
      target: "/v1/pets",
      status: 404,
      fault: undefined,
      isPage: false,
      ms: 1,
    });
  });

  it("reports 0 without a response, and the fault that there was", () => {
    expect(logged({})).toMatchObject({ status: 0, fault: undefined });
    const fault = { ...noTrouble, name: "truncate" };
    expect(logged({ fault, sent: sentOf(200) })).toMatchObject({ status: 200, fault: "truncate" });
  });

  const end = `…${key.slice(-4)}`;
  it.each([
    ["a key made here", `/v1/pets?k=${key}&l=${key}`, "", `/v1/pets?k=${end}&l=${end}`],
    ["the request's own key", "/v1/my-own", "Bearer my-own", "/v1/…"],
    ["no key", "/v1/pets", "Bearer ", "/v1/pets"],
  ])("masks %s", (_what, target, authorization, shown) => {
    expect(logged({ target, headers: { authorization } })).toMatchObject({ target: shown });
  });
});
