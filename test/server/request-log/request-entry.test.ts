import { assert, integer, property, string } from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  entryFacts,
  type RequestFacts,
  shareHeaders,
  toEntry,
} from "../../../src/server/request-log/request-entry.ts";
import { maskOf } from "../../../src/server/request-log/request-log.ts";
import { endedExchange, sentOf } from "../../support/servers/exchange.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const facts: RequestFacts = {
  key,
  time: Date.UTC(2026, 10, 22, 10),
  remoteAddress: "127.0.0.1",
  keyId: "00ff",
  method: "GET",
  path: "/v1/pets",
  status: 200,
  durationMs: 1.2,
  fault: null,
  early: false,
  requestHeaders:
    `Host|localhost|authorization|Bearer ${key}|Cookie|a=b|Proxy-Authorization|Basic eDp5|X-Twice|1|x-twice|2`.split(
      "|",
    ),
  requestBody: "",
  responseHeaders: {},
  responseBody: "",
};
const entryOf = (odd: Partial<RequestFacts>) => {
  const all = { ...facts, ...odd };
  return toEntry("s-1", all, maskOf(all));
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
      requestHeaders: { Host: "localhost", "X-Twice": "1, 2" },
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

describe("entryFacts", () => {
  it("have the real time of its arrival, whatever the store's clock says", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 22, 10), toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const moments = { arrivedAt: 500, endedAt: 2_000, arrivedAtStore: Date.UTC(2031, 0) };
    expect(entryFacts(endedExchange(moments)).time).toBe(Date.UTC(2026, 10, 22, 9, 59, 58, 500));
  });

  it("are what is known of a request that has ended", () => {
    const same = { key, keyId: "00ff", method: "POST" };
    const target = "/v1/pets?limit=1";
    const body = Buffer.from("{}");
    const sent = sentOf(201, '{"id":1}', { Date: "now" });
    const more = { isEarly: true, fault: { name: "500" }, body, arrivedAt: 5, endedAt: 7.54 };
    expect(entryFacts(endedExchange({ ...same, target, sent, ...more }))).toEqual({
      ...same,
      time: expect.any(Number),
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

  it("of a request without a response have no status, and of one by the page its key", () => {
    const none = { keyId: null, status: null, fault: null };
    const empty = { requestBody: "", responseHeaders: {}, responseBody: "" };
    expect(entryFacts(endedExchange())).toMatchObject({ ...none, ...empty });
    expect(entryFacts(endedExchange({ isPage: true }))).toMatchObject({ keyId: "page" });
  });

  it("hold neither bodies of which little is shown, nor the request itself", () => {
    const long = entryFacts(endedExchange({ sent: sentOf(200, "x".repeat(100_000)) }));
    expect(long.responseBody.length).toBeLessThan(5_000);
    expect(Object.values(long)).not.toContainEqual(expect.objectContaining({ socket: {} }));
  });
});

describe("the headers of a request", () => {
  const before = { ...facts, requestHeaders: ["Host", "a", "Accept", "b"] };

  it("are kept once if those of the request before are equal", () => {
    const own = { ...facts, requestHeaders: [...before.requestHeaders] };
    expect(shareHeaders(own, before).requestHeaders).toBe(before.requestHeaders);
    expect(shareHeaders(own)).toBe(own);
  });

  it.each([
    [["Host", "a"]],
    [["Host", "a", "Accept", "c"]],
    [[...before.requestHeaders, "X", "y"]],
  ])("are its own otherwise: %j", (requestHeaders) => {
    const own = { ...facts, requestHeaders };
    expect(shareHeaders(own, before).requestHeaders).toBe(requestHeaders);
  });
});

const noKey = maskOf({ key: undefined });

/** Returns what is kept of a body. */
const captureBody = (body: string | Uint8Array) =>
  entryFacts(endedExchange({ sent: { ...sentOf(200), body } })).responseBody;

/** Returns what is shown of it. */
const shown = (body: string | Uint8Array, mask = noKey) => {
  const entry = toEntry("s-1", { ...facts, responseBody: captureBody(body) }, mask);
  return { text: entry.responseBody, truncated: entry.truncated };
};

describe("what is kept of a body", () => {
  it.each([
    ["a text", "x".repeat(32_768)],
    ["bytes", new Uint8Array(32_768)],
  ])("keeps %s of 32 KiB unchanged", (_what, body) => {
    expect(captureBody(body)).toBe(body);
  });

  it.each<[string, string | Uint8Array]>([
    ["a text", "é".repeat(40_000)],
    ["bytes", Buffer.alloc(32_769)],
  ])("keeps little of more, without the rest of %s in memory", (_what, body) => {
    const kept = captureBody(body);
    expect(kept.length).toBeLessThan(9_000);
    expect(kept).not.toHaveProperty("buffer.byteLength", body.length);
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
