import { describe, expect, it } from "vitest";
import { isLocalRequest } from "../../../src/server/http/local-request.ts";
import { arrivedRequest } from "../../support/servers/exchange.ts";

const from = (remoteAddress = "", host?: string, more: Record<string, string> = {}): boolean =>
  isLocalRequest(arrivedRequest({ remoteAddress, headers: { ...(host && { host }), ...more } }));

describe("isLocalRequest", () => {
  it.each([
    ["127.0.0.1", "localhost"],
    ["127.0.0.1", "localhost:4010"],
    ["127.8.9.10", "LOCALHOST.:1"],
    ["::1", "[::1]:4010"],
    ["::ffff:127.0.0.1", "127.0.0.1:4010"],
    ["127.0.0.1", "store.localhost"],
  ])("is true for %s asking %s", (address, host) => {
    expect(from(address, host)).toBe(true);
  });

  it.each(["Forwarded", "X-Forwarded-Host", "X-Real-IP", "Via"])(
    "is false with %s: a proxy sent it",
    (name) => {
      expect(from("127.0.0.1", "localhost", { [name.toLowerCase()]: "" })).toBe(false);
    },
  );

  it.each([
    ["192.168.0.7", "localhost"],
    ["::ffff:10.0.0.1", "localhost"],
    ["fe80::1%eth0", "localhost"],
    [undefined, "localhost"],
    ["127.0.0.1", undefined],
    ["127.0.0.1", ""],
    ["127.0.0.1", "evil.example"],
    ["127.0.0.1", "127.0.0.1.evil.example"],
    ["127.0.0.1", "localhost.evil.example:4010"],
    ["127.0.0.1", "evil.example@localhost"],
    ["127.0.0.1", "localhost/evil.example"],
    ["127.0.0.1", "localhost#evil.example"],
    ["127.0.0.1", "localhost:99999"],
    ["127.0.0.1", "0.0.0.0"],
  ])("is false for %s asking %s", (address, host) => {
    expect(from(address, host)).toBe(false);
  });
});
