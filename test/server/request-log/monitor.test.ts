import { describe, expect, it } from "vitest";
import { makeMonitor } from "../../../src/server/request-log/monitor.ts";
import { requestMasks } from "../../../src/server/secrets.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

const monitor = () => makeMonitor(() => "s", requestMasks([]));

describe("requests", () => {
  it("are remembered and counted once they have ended", () => {
    const { take, log, counts, rates } = monitor();
    take(endedExchange({ keyId: "a", sent: sentOf(200) }));
    const refusal = { until: 900_000, isBan: true };
    take(endedExchange({ keyId: "a", sent: sentOf(429), isEarly: true, refusal }));
    take(endedExchange());
    expect(log.entries()).toHaveLength(3);
    expect(counts()).toEqual({ requests: { 0: 1, 200: 1, 429: 1 }, early: 1, bans: 1 });
    expect(rates.since(0).seconds).toHaveLength(1);
  });

  it("of the page are remembered, but not counted", () => {
    const { take, log, counts } = monitor();
    take(endedExchange({ isPage: true, sent: sentOf(200) }));
    expect(log.entries()).toHaveLength(1);
    expect(counts().requests).toEqual({});
  });

  it.each(["/", "/healthz", "/_store/state", "/v10/pets"])("to %j are not", (target) => {
    const { take, log, counts } = monitor();
    take(endedExchange({ target, sent: sentOf(200) }));
    expect([log.entries(), counts().requests]).toEqual([[], {}]);
  });

  it("have higher numbers than any of an earlier run", () => {
    const started = Date.now();
    const { take, log } = monitor();
    take(endedExchange());
    const [, number] = log.entries()[0]?.id.split("-") ?? [];
    expect(Number(number)).toBeGreaterThanOrEqual(started * 1_000);
  });

  it("are masked with every key that was valid once", () => {
    const { take, log } = monitor();
    take(endedExchange({ key: "my-own-old-key", keyId: "a" }));
    take(endedExchange({ key: "no-key-at-all", target: "/v1/my-own-old-key/no-key-at-all" }));
    expect(log.entries()[1]?.json()).toContain('"/v1/…-key/no-key-at-all"');
  });

  it("are forgotten", () => {
    const { take, log, counts, clear } = monitor();
    take(endedExchange({ sent: sentOf(200) }));
    clear();
    expect([log.entries(), counts().requests]).toEqual([[], {}]);
  });
});

describe("streams", () => {
  it("end with the store, each once; one that ended before is forgotten", () => {
    const { trackStream, dispose } = monitor();
    const ended: string[] = [];
    trackStream(() => ended.push("one"));
    const forget = trackStream(() => ended.push("two"));
    forget();
    dispose();
    expect(ended).toEqual(["one"]);
  });

  it("that begin while the store stops are ended at once", () => {
    const { trackStream, dispose } = monitor();
    dispose();
    let ended = 0;
    trackStream(() => (ended += 1));
    expect(ended).toBe(1);
  });
});
