import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { captureBody } from "../../../src/server/inspect/body-preview.ts";
import { type RequestFacts, toEntry } from "../../../src/server/inspect/request-entry.ts";

const key = "pets_0123456789abcdefghijklmnopqrstuv";
const facts: RequestFacts = {
  time: Date.UTC(2026, 10, 22, 10),
  remoteAddress: "127.0.0.1",
  keyId: "00ff",
  method: "GET",
  path: "/v1/pets",
  status: 200,
  durationMs: 1.2345,
  fault: undefined,
  early: false,
  requestHeaders:
    `Host|localhost|authorization|Bearer ${key}|Cookie|a=b|Proxy-Authorization|Basic eDp5|X-Twice|1|x-twice|2`.split(
      "|",
    ),
  requestBody: undefined,
  responseHeaders: {},
  responseBody: undefined,
};
const entryOf = (odd: Partial<RequestFacts>) => toEntry("s-1", { ...facts, ...odd });
const bytes = (text: string) => captureBody(Buffer.from(text));

describe("an entry", () => {
  it("has each field of its request, and none of its credentials", () => {
    expect(entryOf({})).toEqual({
      id: "s-1",
      time: "2026-11-22T10:00:00.000Z",
      remoteAddress: "127.0.0.1",
      keyId: "00ff",
      method: "GET",
      path: "/v1/pets",
      status: 200,
      durationMs: 1.2,
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

  it("has null where nothing was answered, and where no key was valid", () => {
    const entry = entryOf({ status: undefined, keyId: undefined, fault: "reset", early: true });
    expect(entry).toMatchObject({ status: null, keyId: null, fault: "reset", early: true });
  });

  it("tells the limits that the reply told", () => {
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
    ["a body, escaped", { requestBody: bytes(`{"name":"${key.replaceAll("p", "\\u0070")}"}`) }],
    ["a reply", { responseBody: bytes(key), responseHeaders: { "X-Echo": key } }],
  ])("masks the key of the request in %s", (_where, odd) => {
    const text = JSON.stringify(entryOf(odd));
    expect(text).toContain("…stuv");
    expect(text).not.toMatch(/23456789|23\d*%|abcdefghijkl/);
  });

  it("masks keys of stores that a request has without being let in by them", () => {
    const requestHeaders = ["X-Api-Key", key, "Authorization", `Token ${key}`];
    const entry = entryOf({ requestHeaders, path: `/v1/pets?key=${key}` });
    expect(entry.path).toBe("/v1/pets?key=…stuv");
    expect(JSON.stringify(entry)).not.toContain(key);
    const { requestBody } = entryOf({
      requestHeaders,
      requestBody: bytes(`${"-".repeat(4_080)}${key}`),
    });
    expect(requestBody).toBe("-".repeat(4_080));
  });

  it("masks a key without its scheme, and leaves one that is too short to be found", () => {
    const requestHeaders = ["Authorization", "plainsecret"];
    expect(entryOf({ requestHeaders, path: "/v1/plainsecret" }).path).toBe("/v1/…");
    expect(entryOf({ requestHeaders: ["Authorization", "Bearer v1"] }).path).toBe("/v1/pets");
  });

  it("cuts bodies at 4 KiB, never within a character, and says so", () => {
    const entry = entryOf({ requestBody: bytes("é".repeat(3_000)), responseBody: bytes("x") });
    expect(entry).toMatchObject({ requestBody: "é".repeat(2_048), truncated: true });
    expect(entryOf({ requestBody: bytes(`x${"é".repeat(3_000)}`) }).requestBody).toBe(
      `x${"é".repeat(2_047)}`,
    );
    expect(entryOf({ responseBody: bytes("x".repeat(4_096)) }).truncated).toBe(false);
  });

  it("shows the start of a long text, and keeps no more of it than that needs", () => {
    const kept = captureBody("é".repeat(40_000));
    expect(kept.length).toBeLessThan(17_000);
    expect(entryOf({ responseBody: kept })).toMatchObject({
      responseBody: "é".repeat(2_048),
      truncated: true,
    });
  });

  it("shows no part of a key that stands across the cut", () => {
    assert(
      property(integer({ min: 4_000, max: 4_200 }), (before) => {
        const body = `${"-".repeat(before)}${key}${"-".repeat(5_000)}`;
        const { requestBody } = entryOf({ requestBody: bytes(body) });
        expect(requestBody).toMatch(/^-{4000,}(?:…stuv-*)?$/);
      }),
    );
  });
});
