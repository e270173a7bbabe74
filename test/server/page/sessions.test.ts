import { describe, expect, it } from "vitest";
import {
  makeSessions,
  type PageAccess,
  type PageSessions,
} from "../../../src/server/page/sessions.ts";

/** Returns the access that a new link of `sessions` gives. */
function accessOf(sessions: PageSessions): PageAccess {
  const access = sessions.redeem(sessions.issueToken());
  if (access === undefined) throw new Error("the link is not valid");
  return access;
}

describe("the sessions of the page", () => {
  it("exchange a token once", () => {
    const sessions = makeSessions(() => "secret");
    const token = sessions.issueToken();
    expect(token).toMatch(/^[\w-]{32}$/);
    const access = sessions.redeem(token);
    expect(access && sessions.isValid(access)).toBe(true);
    expect(sessions.redeem(token)).toBeUndefined();
    expect(sessions.redeem("")).toBeUndefined();
  });

  it("outlive the process that started them, but not the store's secret", () => {
    const access = accessOf(makeSessions(() => "secret"));
    expect(makeSessions(() => "secret").isValid(access)).toBe(true);
    expect(makeSessions(() => "other").isValid(access)).toBe(false);
  });

  it("leave a browser its cookie when it opens another link, so that both windows have access", () => {
    const sessions = makeSessions(() => "secret");
    const first = accessOf(sessions);
    const forged = `${first.cookie}x`;
    expect(sessions.redeem(sessions.issueToken(), ["a.b", first.cookie])).toEqual(first);
    expect(sessions.redeem(sessions.issueToken(), [forged])?.secret).not.toBe(first.secret);
    expect(sessions.redeem("", [first.cookie])).toBeUndefined();
  });

  it("need cookie and secret of the same visit", () => {
    const sessions = makeSessions(() => "secret");
    const [{ cookie, secret }, other] = [accessOf(sessions), accessOf(sessions)];
    const [value = "", signature = ""] = cookie.split(".");
    for (const guess of ["", "1", cookie, value, signature, other.secret, `${secret}x`])
      expect(sessions.isValid({ cookie, secret: guess })).toBe(false);
    expect(sessions.isValid({ cookie: other.cookie, secret })).toBe(false);
  });

  it.each(["", ".", "a", "a.b", "..", "é.é", "a.b.c"])("refuse the cookie %j", (cookie) => {
    const sessions = makeSessions(() => "secret");
    const { secret } = accessOf(sessions);
    expect(sessions.isValid({ cookie, secret })).toBe(false);
    expect(sessions.isValid({ cookie, secret: "" })).toBe(false);
  });

  it("reject a cookie or a secret with any character changed", () => {
    const sessions = makeSessions(() => "secret");
    const access = accessOf(sessions);
    for (const part of ["cookie", "secret"] as const)
      for (let at = 0; at < access[part].length; at += 1) {
        const text = access[part];
        const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
        expect(sessions.isValid({ ...access, [part]: changed })).toBe(false);
      }
  });

  it("remember the last 100 tokens", () => {
    const sessions = makeSessions(() => "secret");
    const tokens = Array.from({ length: 101 }, () => sessions.issueToken());
    expect(sessions.redeem(tokens[0] ?? "")).toBeUndefined();
    expect(sessions.redeem(tokens[1] ?? "")).toBeDefined();
  });
});
