import { describe, expect, it } from "vitest";
import { deprecationHeaders, completeResponses } from "../../../src/server/api/response.ts";

const storeId = () => "ab";

describe("completeResponses", () => {
  const window = { limit: 60, remaining: 59, resetAt: 1_500 };

  it("dates and measures a response", () => {
    expect(
      completeResponses(() => 1_999, storeId)({ status: 200, body: "ü" }, undefined).headers,
    ).toEqual({
      "Content-Type": "application/json",
      "Content-Length": "2",
      Date: "Thu, 01 Jan 1970 00:00:01 GMT",
      "X-Pets-Store": "ab",
    });
  });

  it("shows the window, its end rounded up to seconds", () => {
    expect(
      completeResponses(() => 0, storeId)({ status: 200, body: "" }, window).headers,
    ).toMatchObject({
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-RateLimit-Reset": "2",
    });
  });

  it("does not measure a stream", () => {
    expect(
      completeResponses(() => 0, storeId)(
        { status: 200, body: "", stream: async function* () {} },
        undefined,
      ).headers,
    ).toEqual({
      "Content-Type": "application/json",
      Date: "Thu, 01 Jan 1970 00:00:00 GMT",
      "X-Pets-Store": "ab",
    });
  });

  it("accepts more headers of a response", () => {
    expect(
      completeResponses(() => 0, storeId)(
        { status: 200, body: "", headers: { Allow: "GET" } },
        window,
      ).headers,
    ).toMatchObject({
      Allow: "GET",
    });
  });

  it("follows a clock that jumps forward and back", () => {
    let now = 0;
    const headersOf = completeResponses(() => now, storeId);
    const dates = [0, 999, 1_000, 0].map((ms) => {
      now = ms;
      return headersOf({ status: 200, body: "" }, undefined).headers.Date?.slice(-6, -4);
    });
    expect(dates).toEqual(["00", "00", "01", "00"]);
  });
});

describe("deprecationHeaders", () => {
  it("announce the removal", () => {
    expect(deprecationHeaders).toEqual({
      Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
      Deprecation: "@1764892800",
      Link: '</v1/pets>; rel="successor-version"',
    });
  });
});
