import { describe, expect, it } from "vitest";
import { captureBody } from "../../../src/server/request-log/body-preview.ts";
import { toEntry } from "../../../src/server/request-log/request-entry.ts";
import type { RequestFacts } from "../../../src/server/request-log/request-facts.ts";
import { requestMasks } from "../../../src/server/secrets.ts";

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
const entryOf = (odd: Partial<RequestFacts>) =>
  toEntry("s-1", { ...facts, ...odd }, requestMasks([]).maskOf);
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

  it("has null for a missing reply, and for a missing valid key", () => {
    const entry = entryOf({ status: undefined, keyId: undefined, fault: "reset", early: true });
    expect(entry).toMatchObject({ status: null, keyId: null, fault: "reset", early: true });
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
    ["a body, escaped", { requestBody: bytes(`{"name":"${key.replaceAll("p", "\\u0070")}"}`) }],
    ["a reply", { responseBody: bytes(key), responseHeaders: { "X-Echo": key } }],
  ])("masks the key of the request in %s", (_where, odd) => {
    const text = JSON.stringify(entryOf(odd));
    expect(text).toContain("…stuv");
    expect(text).not.toMatch(/23456789|23\d*%|abcdefghijkl/);
  });

  it("masks keys of stores that a request contains but does not authenticate with", () => {
    const requestHeaders = ["X-Api-Key", key, "Authorization", `Token ${key}`];
    const entry = entryOf({ requestHeaders, path: `/v1/pets?key=${key}` });
    expect(entry.path).toBe("/v1/pets?key=…stuv");
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it.each([
    [{ requestBody: bytes("x".repeat(4_097)) }, true],
    [{ responseBody: bytes("x".repeat(4_097)) }, true],
    [{ requestBody: bytes("x".repeat(4_096)), responseBody: bytes("x") }, false],
  ])("says whether a body was cut", (odd, truncated) => {
    expect(entryOf(odd).truncated).toBe(truncated);
  });
});
