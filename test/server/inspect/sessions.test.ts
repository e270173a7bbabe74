import { describe, expect, it } from "vitest";
import {
  cookieName,
  makeSessions,
  readCookies,
  setCookie,
} from "../../../src/server/inspect/sessions.ts";

describe("the sessions of the page", () => {
  it("exchange a token once", () => {
    const sessions = makeSessions(() => "secret");
    const token = sessions.issueToken();
    expect(token).toMatch(/^[\w-]{32}$/);
    const cookie = sessions.redeem(token);
    expect(sessions.isValid(cookie ?? "")).toBe(true);
    expect(sessions.redeem(token)).toBeUndefined();
    expect(sessions.redeem("")).toBeUndefined();
  });

  it("outlive the process that started them, but not the secret", () => {
    const first = makeSessions(() => "secret");
    const cookie = first.redeem(first.issueToken()) ?? "";
    expect(makeSessions(() => "secret").isValid(cookie)).toBe(true);
    expect(makeSessions(() => "other").isValid(cookie)).toBe(false);
  });

  it.each(["", ".", "a", "a.b", "..", "é.é", "a.b.c"])("refuse the cookie %j", (cookie) => {
    expect(makeSessions(() => "secret").isValid(cookie)).toBe(false);
  });

  it("reject a cookie with any character changed", () => {
    const sessions = makeSessions(() => "secret");
    const cookie = sessions.redeem(sessions.issueToken()) ?? "";
    for (let at = 0; at < cookie.length - 1; at += 1) {
      const other = cookie[at] === "A" ? "B" : "A";
      expect(sessions.isValid(cookie.slice(0, at) + other + cookie.slice(at + 1))).toBe(false);
    }
  });

  it("remember the last 100 tokens", () => {
    const sessions = makeSessions(() => "secret");
    const tokens = Array.from({ length: 101 }, () => sessions.issueToken());
    expect(sessions.redeem(tokens[0] ?? "")).toBeUndefined();
    expect(sessions.redeem(tokens[1] ?? "")).toBeDefined();
  });
});

describe("the cookie of the page", () => {
  it("is for this site and not for scripts, and with TLS only for TLS", () => {
    expect(setCookie(cookieName(4010), "v.s", false)).toBe(
      "pets_page_4010=v.s; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict",
    );
    expect(setCookie(cookieName(4010), "v.s", true)).toMatch(/; Secure$/);
  });

  it.each([
    ["", []],
    ["pets_page_4010=a", ["a"]],
    ["x=1; pets_page_4010=a; pets_page_40101=b;pets_page_4010=c", ["a", "c"]],
    ["pets_page_4011=a", []],
  ])("is read from %j", (header, expected) => {
    expect(readCookies(header, cookieName(4010))).toEqual(expected);
  });
});
