import { expect, it } from "vitest";
import { requestCounter } from "../../../src/server/request-log/request-counter.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

const minute = 60_000;
const plain = endedExchange({ isEarly: false });
const bannedUntil = (until: number, keyId = "a") => ({
  ...plain,
  keyId,
  sent: sentOf(429),
  refusal: { until, isBan: true },
});

it("counts by status, and those without a reply", () => {
  const { count, counts } = requestCounter();
  for (const status of [200, 429, 200]) count({ ...plain, sent: sentOf(status) });
  count({ ...plain, isEarly: true });
  expect(counts()).toEqual({ requests: { 0: 1, 200: 2, 429: 1 }, early: 1, bans: 0 });
});

it("counts two short bans of a key, one after the other, as the judge does", () => {
  const { count, counts } = requestCounter();
  for (const until of [5_000, 5_000, 15_000]) count(bannedUntil(until));
  expect(counts().bans).toBe(2);
});

it("counts no ban that nobody was sent", () => {
  const { count, counts } = requestCounter();
  count({ ...bannedUntil(5_000), sent: undefined });
  expect(counts().bans).toBe(0);
});

it("starts again after a reset, even with a ban that continues", () => {
  const { count, counts, clear } = requestCounter();
  count({ ...bannedUntil(10 * minute), isEarly: true });
  clear();
  expect(counts()).toEqual({ requests: {}, early: 0, bans: 0 });
  count(bannedUntil(10 * minute));
  expect(counts().bans).toBe(1);
});
