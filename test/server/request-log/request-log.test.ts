import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entryText,
  maxEntries,
  maxLogBytes,
  ratedSeconds,
  RequestLog,
  requestRates,
} from "../../../src/server/request-log/request-log.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";

/** Returns a request to `target` that has ended. */
const ended = (target: string) => endedRequest({ target, sent: sentOf(200) });

/** Returns what a log remembers from a position on, by default all. */
const entriesOf = (log: RequestLog, from = log.bounds().oldest) =>
  log.readFrom(from, maxEntries, entryText).texts.map((text) => JSON.parse(text));

describe("the request log", () => {
  it("keeps the last 1,000 entries, oldest first, with ascending ids", () => {
    const log = new RequestLog(() => "abc", 7);
    for (let count = 0; count < maxEntries + 3; count += 1) log.take(ended(`/v1/${count}`));
    const entries = entriesOf(log);
    expect(entries).toHaveLength(maxEntries);
    expect(entries.at(0)).toMatchObject({ id: "abc-10", path: "/v1/3" });
    expect(entries.at(-1)).toMatchObject({ id: "abc-1009", path: "/v1/1002" });
  });

  it("keeps 32 MB at most, the last requests", () => {
    const log = new RequestLog(() => "s", 1);
    const long = "x".repeat(60_000);
    for (let count = 0; count < maxEntries; count += 1) log.take(ended(`/v1/${long}${count}`));
    const { oldest, next } = log.bounds();
    expect(next - oldest).toBe(Math.floor(maxLogBytes / 60_020));
    expect(entriesOf(log).at(-1).path).toMatch(/x999$/);
    for (let count = 0; count < 2 * maxEntries; count += 1) log.take(ended("/v1/pets"));
    expect(entriesOf(log)).toHaveLength(maxEntries);
  });

  it("gives each reader each entry once, or says how many it missed", () => {
    assert(
      property(array(integer({ min: 0, max: 1_500 }), { maxLength: 8 }), (bursts) => {
        const log = new RequestLog(() => "s", 1);
        let { next: position } = log.bounds();
        let sent = 0;
        let seen = 0;
        for (const burst of bursts) {
          for (let count = 0; count < burst; count += 1) log.take(ended(`/v1/${sent++}`));
          const { texts, missed, next } = log.readFrom(position, maxEntries, entryText);
          expect(missed).toBe(Math.max(0, burst - maxEntries));
          expect(texts[0] ?? "").toContain(burst > 0 ? `"path":"/v1/${seen + missed}"` : "");
          seen += texts.length + missed;
          position = next;
          expect(seen).toBe(sent);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("takes what is below /v1, the page's requests too, and counts all of it by the second", () => {
    const log = new RequestLog(() => "s", 1);
    for (const target of ["/", "/healthz", "/_store/state", "/v10/pets"]) log.take(ended(target));
    expect([entriesOf(log), log.rates.since(0).seconds]).toEqual([[], []]);
    log.take(endedRequest({ isPage: true }));
    log.take(ended("/v1/nothing"));
    expect(entriesOf(log)).toHaveLength(2);
    expect(log.rates.since(0).seconds).toMatchObject([[expect.any(Number), { none: 1, ok: 1 }]]);
  });

  it("masks a request's own key, and all keys that a store makes", () => {
    const log = new RequestLog(() => "s", 1);
    const [own, other] = ["my/own-old-key", `pets_${"0123456789abcdef".repeat(2)}`];
    const target = `/v1/my%2Fown-old-key/my/own-old-key?k=${other}`;
    log.take(endedRequest({ key: own, target, sent: sentOf(200, JSON.stringify([own])) }));
    log.take(endedRequest({ key: "abc", target: "/v1/abc" }));
    const [masked, short] = entriesOf(log);
    expect(masked).toMatchObject({ path: "/v1/…-key/…-key?k=…cdef", responseBody: '["…-key"]' });
    expect(short.path).toBe("/v1/abc");
  });

  it.each([
    ["an entry of it", "s-5", 6],
    ["one still to come", "s-9", undefined],
    ["one of an earlier run", "s-4", undefined],
    ["one of another store", "other-5", undefined],
    ["something else", "s-5x", undefined],
    ["nothing", "", undefined],
  ])("resumes after %s", (_what, id, expected) => {
    const log = new RequestLog(() => "s", 5);
    log.take(ended("/v1/a"));
    log.take(ended("/v1/b"));
    expect(log.positionAfter(id)).toBe(expected);
  });

  it("forgets everything at a reset, reports it, and never repeats an id", () => {
    let store = "one";
    const log = new RequestLog(() => store, 1);
    const events: string[] = [];
    const stop = log.subscribe((event) => events.push(event));
    log.take(ended("/v1/a"));
    store = "two";
    log.clear();
    log.take(ended("/v1/b"));
    stop();
    log.take(ended("/v1/c"));
    expect(events).toEqual(["entry", "reset", "entry"]);
    expect(entriesOf(log).map(({ id }) => id)).toEqual(["two-2", "two-3"]);
  });
});

it("counts the requests of each of the last seconds by how they ended", () => {
  const clock = { now: 100_000 };
  const rates = requestRates(() => clock.now);
  rates.count("ok");
  rates.count("ok");
  clock.now = 101_999;
  rates.count("limited");
  expect(rates.since(0)).toEqual({
    now: 101_999,
    seconds: [
      [100, { ok: 2 }],
      [101, { limited: 1 }],
    ],
  });
  expect(rates.since(101).seconds).toEqual([[101, { limited: 1 }]]);
  clock.now += ratedSeconds * 1_000;
  rates.count("none");
  expect(rates.since(0).seconds).toEqual([[162, { none: 1 }]]);
  rates.clear();
  expect(rates.since(0).seconds).toEqual([]);
});
