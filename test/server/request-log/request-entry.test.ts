import { assert, integer, property, string } from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RequestFacts, toEntry } from "../../../src/server/request-log/request-entry.ts";
import { maskOf } from "../../../src/server/request-log/request-log.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const facts = {
  key,
  time: Date.UTC(2026, 10, 22, 10),
  remoteAddress: "127.0.0.1",
  keyId: "00ff",
  method: "GET",
  path: "/v1/pets",
  status: 200,
  durationMs: 1.2,
  requestHeaders:
    `Host|localhost|authorization|Bearer ${key}|Cookie|a=b|Proxy-Authorization|Basic eDp5|X-Twice|1|x-twice|2`.split(
      "|",
    ),
};
const entryOf = (odd: Partial<RequestFacts>) => {
  const all = Object.assign(new RequestFacts(), facts, odd);
  return toEntry("s-1", all, maskOf(all));
};

/** Returns the facts of a request that ended after `before`. */
const factsOf = (described: Parameters<typeof endedRequest>[0], before = new RequestFacts()) => {
  const own = new RequestFacts();
  own.take(endedRequest(described), before);
  return own;
};

const bytes = (text: string) => Buffer.from(text);

describe("an entry", () => {
  it("has each field of its request, and none of its credentials", () => {
    const { key: _key, ...unchanged } = facts;
    expect(entryOf({})).toEqual({
      ...unchanged,
      id: "s-1",
      time: "2026-11-22T10:00:00.000Z",
      limits: null,
      fault: null,
      early: false,
      requestHeaders: { Host: "localhost", "X-Twice": "1, 2" },
      requestBody: "",
      responseHeaders: {},
      responseBody: "",
      truncated: false,
    });
  });

  it("has the limits of the reply", () => {
    const responseHeaders = {
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-RateLimit-Reset": "1795341600",
    };
    const limits = { limit: 60, remaining: 59, resetAt: "2026-11-22T10:00:00.000Z" };
    expect(entryOf({ responseHeaders })).toMatchObject({ limits });
  });

  it.each([
    ["the path", { path: `/v1/pets?key=${key}` }],
    ["the path, percent-encoded", { path: `/v1/pets?key=${key.replaceAll("_", "%5f")}` }],
    ["a header", { requestHeaders: [...facts.requestHeaders, "X-Debug", key] }],
    ["a header's name", { requestHeaders: [...facts.requestHeaders, key, "1"] }],
    ["a body", { requestBody: bytes(`{"name":"${key}"}`) }],
    ["a reply", { responseBody: bytes(key), responseHeaders: { "X-Echo": key } }],
  ])("masks the key of the request in %s", (_where, odd) => {
    const text = JSON.stringify(entryOf(odd));
    expect(text).toContain("…stuv");
    expect(text).not.toMatch(/23456789|23\d*%|abcdefghijkl/);
  });
});

describe("the facts of a request", () => {
  it("have the real time of its arrival, whatever the store's clock says", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 22, 10), toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const moments = { at: { real: 500, store: Date.UTC(2031, 0) }, endedAt: 2_000 };
    expect(factsOf(moments).time).toBe(Date.UTC(2026, 10, 22, 9, 59, 58, 500));
  });

  it("are what is known when it has ended", () => {
    const same = { key, keyId: "00ff", method: "POST" };
    const target = "/v1/pets?limit=1";
    const body = Buffer.from("{}");
    const sent = sentOf(201, '{"id":1}', { Date: "now" });
    const more = { isEarly: true, fault: { name: "500" }, body, at: { real: 5 }, endedAt: 7.54 };
    expect(factsOf({ ...same, target, sent, ...more })).toMatchObject({
      ...same,
      remoteAddress: "127.0.0.1",
      path: target,
      status: 201,
      durationMs: 2.5,
      fault: "500",
      early: true,
      requestHeaders: ["host", "127.0.0.1:80"],
      requestBody: body,
      responseHeaders: { Date: "now" },
      responseBody: '{"id":1}',
    });
  });

  it("of one without a response have no status, and of one by the page its key", () => {
    const none = { keyId: null, status: null, fault: null };
    const empty = { requestBody: "", responseHeaders: {}, responseBody: "" };
    expect(factsOf({})).toMatchObject({ ...none, ...empty });
    expect(factsOf({ isPage: true })).toMatchObject({ keyId: "page" });
  });

  it("leave nothing of an earlier request in their place", () => {
    const used = factsOf({ key, fault: { name: "500" }, headers: { a: "x".repeat(9_000) } });
    used.take(endedRequest(), new RequestFacts());
    expect(used).toEqual(Object.assign(factsOf({}), { time: used.time }));
  });

  it("know how many bytes they take", () => {
    const sent = sentOf(200, "body", { a: "b" });
    const parts = [key.length, "/v1/pets".length, "host127.0.0.1:80ab".length, 1, 8];
    const total = parts.reduce((sum, each) => sum + each);
    expect(factsOf({ key, sent, body: Buffer.from("x") }).bytes).toBe(total);
  });
});

describe("headers", () => {
  const headers = { host: "a", accept: "b" };
  const sent = sentOf(200, "", { Date: "now", Allow: "GET" });
  const before = factsOf({ headers, sent });

  it("are kept once if those of the request before are equal", () => {
    const equal = { headers: { ...headers }, sent: sentOf(200, "", { ...sent.headers }) };
    const own = factsOf(equal, before);
    expect(own.requestHeaders).toBe(before.requestHeaders);
    expect(own.responseHeaders).toBe(before.responseHeaders);
    expect(own.bytes).toBe(before.bytes);
  });

  it.each([
    [{ host: "a" }, { Date: "now" }],
    [
      { host: "a", accept: "c" },
      { Date: "then", Allow: "GET" },
    ],
    [
      { ...headers, x: "y" },
      { Date: "now", Allow: "GET", X: "y" },
    ],
  ])("are its own otherwise: %j and %j", (asked, answered) => {
    const own = factsOf({ headers: asked, sent: sentOf(200, "", answered) }, before);
    expect(own.requestHeaders).toEqual(Object.entries(asked).flat());
    expect(own.responseHeaders).toEqual(answered);
  });

  it("of 8 KiB are whole", () => {
    const own = factsOf({ headers: { x: "y".repeat(8_191) } });
    expect(own).toMatchObject({ areHeadersCut: false, headerBytes: 8_192 });
  });

  it("of more are cut, and credentials take no room", () => {
    const long = "y".repeat(60_000);
    const own = factsOf({
      headers: { cookie: long, first: "1", second: long, third: "3" },
      sent: sentOf(200, "", { Date: "now", "X-Echo": long }),
    });
    const entry = toEntry("s-1", own, maskOf(own));
    expect(entry.requestHeaders).toEqual({ first: "1", second: "y".repeat(8_192 - 12) });
    expect(entry.responseHeaders["X-Echo"]).toHaveLength(8_192 - 13);
    expect(entry.truncated).toBe(true);
    expect(own.bytes).toBeLessThan(17_000);
    expect(factsOf({}, own).areHeadersCut).toBe(false);
  });

  it("are not cut if only credentials are long", () => {
    const own = factsOf({ headers: { cookie: "y".repeat(60_000), first: "1" } });
    expect(own).toMatchObject({ requestHeaders: ["first", "1"], areHeadersCut: false });
    expect(own.bytes).toBeLessThan(100);
  });

  it("show no part of a key that the cut splits", () => {
    const own = factsOf({ key, headers: { x: `${"y".repeat(8_180)}${key}` } });
    expect(toEntry("s-1", own, maskOf(own)).requestHeaders.x).toMatch(/^y{8180}…(?:\w{4})?$/);
  });
});

const noKey = maskOf({ key: undefined });

/** Returns what is kept of a body. */
const captureBody = (body: string | Uint8Array) =>
  factsOf({ sent: { ...sentOf(200), body } }).responseBody;

/** Returns what is shown of it. */
const shown = (body: string | Uint8Array, mask = noKey) => {
  const all = Object.assign(new RequestFacts(), { responseBody: captureBody(body) });
  const entry = toEntry("s-1", all, mask);
  return { text: entry.responseBody, truncated: entry.truncated };
};

describe("what is kept of a body", () => {
  it.each([
    ["a text", "x".repeat(4_096)],
    ["bytes", new Uint8Array(4_096)],
  ])("keeps %s of 4 KiB unchanged", (_what, body) => {
    expect(captureBody(body)).toBe(body);
  });

  it.each<[string, string | Uint8Array]>([
    ["a text", "é".repeat(40_000)],
    ["bytes", Buffer.alloc(4_098)],
  ])("keeps little of more, without the rest of %s in memory", (_what, body) => {
    const kept = captureBody(body);
    expect(kept.length).toBeLessThan(9_000);
    expect(kept).not.toHaveProperty("buffer.byteLength", body.length);
  });

  it("is copied once for a body that is sent again and again", () => {
    const sent = { ...sentOf(200), body: Buffer.alloc(9_000) };
    const first = factsOf({ sent });
    const second = factsOf({ sent }, first);
    expect(second.responseBody).toBe(first.responseBody);
    expect(factsOf({ sent }, second).responseBody).toBe(first.responseBody);
  });
});

describe("what is shown of a body", () => {
  it.each([
    ["nothing", "", "", false],
    ["4 KiB", "x".repeat(4_096), "x".repeat(4_096), false],
    ["a byte more", "x".repeat(4_097), "x".repeat(4_096), true],
    ["a character across the cut", `x${"é".repeat(3_000)}`, `x${"é".repeat(2_047)}`, true],
    ["a byte order mark", "\uFEFF{}", "\uFEFF{}", false],
    ["a long text", "é".repeat(40_000), "é".repeat(2_048), true],
    ["a key", `<${key}>`, "<…stuv>", false],
  ])("of %s", (_what, body, text, truncated) => {
    expect(shown(body)).toEqual({ text, truncated });
    expect(shown(Buffer.from(body))).toEqual({ text, truncated });
  });

  it("shows the same for any text as for its bytes", () => {
    assert(
      property(
        string({ unit: "grapheme", maxLength: 20 }),
        integer({ min: 0, max: 5_000 }),
        (text, count) => {
          const body = `${"-".repeat(count)}${text}${"日".repeat(count)}`.toWellFormed();
          expect(shown(body)).toEqual(shown(Buffer.from(body)));
          expect(body.startsWith(shown(body).text)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ["a key of a store", noKey, key],
    ["the request's own", maskOf({ key: "secret-token-1" }), "secret-token-1"],
  ])("shows no part of %s that the cut splits", (_what, mask, secret) => {
    assert(
      property(integer({ min: 4_000, max: 4_200 }), (before) => {
        const body = `${"-".repeat(before)}${secret}${"-".repeat(40_000)}`;
        expect(shown(body, mask).text).toMatch(/^-{4000,}(?:\w{1,4}|…(?:\w\w[\w-]\w)?-*)?$/);
      }),
    );
  });
});
