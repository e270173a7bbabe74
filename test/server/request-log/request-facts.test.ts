import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/server/request-log/request-facts.ts";
import { noTrouble } from "../../../src/server/lab/trouble.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

describe("factsOf", () => {
  it("are what is known of a request that has ended", () => {
    const bodyBytes = Buffer.from("{}");
    const exchange = endedExchange({
      method: "POST",
      target: "/v1/pets?limit=1",
      keyId: "00ff",
      isEarly: true,
      fault: { ...noTrouble, name: "500" },
      bodyBytes,
      sent: sentOf(201, '{"id":1}', { Date: "now" }),
      arrivedAt: 5,
      endedAt: 7.5,
    });
    expect(factsOf(exchange)).toEqual({
      time: 1_000,
      remoteAddress: "127.0.0.1",
      keyId: "00ff",
      method: "POST",
      path: "/v1/pets?limit=1",
      status: 201,
      durationMs: 2.5,
      fault: "500",
      early: true,
      requestHeaders: ["host", "127.0.0.1:80"],
      requestBody: bodyBytes,
      responseHeaders: { Date: "now" },
      responseBody: '{"id":1}',
    });
  });

  it("of a request without a response have no status, and of one by the page its key", () => {
    expect(factsOf(endedExchange())).toMatchObject({
      status: undefined,
      responseHeaders: {},
      responseBody: undefined,
      requestBody: undefined,
      fault: undefined,
    });
    expect(factsOf(endedExchange({ isPage: true }))).toMatchObject({ keyId: "page" });
  });

  it("hold neither bodies of which little is shown, nor the request itself", () => {
    const facts = factsOf(endedExchange({ sent: sentOf(200, "x".repeat(100_000)) }));
    expect(facts.responseBody?.length).toBeLessThan(5_000);
    expect(Object.values(facts)).not.toContainEqual(expect.objectContaining({ socket: {} }));
  });
});
