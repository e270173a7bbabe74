import { describe, expect, it } from "vitest";
import { deprecationHeaders, replyHeaders } from "../../../src/server/routes/responses.ts";

const noStore = () => undefined;

describe("replyHeaders", () => {
  const window = { limit: 60, remaining: 59, resetAt: 1_500 };

  it("dates and measures a reply", () => {
    expect(replyHeaders(() => 1_999, noStore)(undefined, "ü")).toEqual({
      "Content-Type": "application/json",
      "Content-Length": "2",
      Date: "Thu, 01 Jan 1970 00:00:01 GMT",
    });
  });

  it("shows the window, its end rounded up to seconds", () => {
    expect(replyHeaders(() => 0, noStore)(window, "")).toMatchObject({
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-RateLimit-Reset": "2",
    });
  });

  it("names the store, and does not measure a stream", () => {
    expect(
      replyHeaders(
        () => 0,
        () => "ab",
      )(undefined, undefined),
    ).toEqual({
      "Content-Type": "application/json",
      Date: "Thu, 01 Jan 1970 00:00:00 GMT",
      "X-Pets-Store": "ab",
    });
  });

  it("accepts more headers of a reply", () => {
    expect(replyHeaders(() => 0, noStore)(window, "", { Allow: "GET" })).toMatchObject({
      Allow: "GET",
    });
  });

  it("follows a clock that jumps forward and back", () => {
    let now = 0;
    const headersOf = replyHeaders(() => now, noStore);
    const dates = [0, 999, 1_000, 0].map((ms) => {
      now = ms;
      return headersOf(undefined, "").Date?.slice(-6, -4);
    });
    expect(dates).toEqual(["00", "00", "01", "00"]);
  });
});

describe("deprecationHeaders", () => {
  it("are as store.md says", () => {
    expect(deprecationHeaders).toEqual({
      Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      Deprecation: "@1764892800",
      Link: '</v1/pets>; rel="successor-version"',
    });
  });
});
