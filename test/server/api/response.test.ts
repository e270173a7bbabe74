import { expect, it } from "vitest";
import { completeResponses } from "../../../src/server/api/response.ts";

it("completeResponses dates and measures a response, and shows its window, whose end is rounded up", () => {
  const complete = completeResponses(
    () => 1_999,
    () => "ab",
  );
  const dated = {
    "Content-Type": "application/json",
    Date: "Thu, 01 Jan 1970 00:00:01 GMT",
    "X-Pets-Store": "ab",
  };
  const window = { limit: 60, remaining: 59, resetAt: 1_500 };
  const response = { status: 405, body: "ü", headers: { Allow: "GET" } };
  expect(complete(response, window).headers).toEqual({
    ...dated,
    "Content-Length": "2",
    "X-RateLimit-Limit": "60",
    "X-RateLimit-Remaining": "59",
    "X-RateLimit-Reset": "2",
    Allow: "GET",
  });
  const stream = { status: 200, body: "", stream: async function* () {} };
  expect(complete(stream, undefined).headers).toEqual(dated);
});

it("completeResponses follows a clock that jumps forward and back", () => {
  let now = 0;
  const complete = completeResponses(
    () => now,
    () => "ab",
  );
  const dates = [0, 999, 1_000, 0].map((ms) => {
    now = ms;
    return complete({ status: 200, body: "" }, undefined).headers.Date?.slice(-6, -4);
  });
  expect(dates).toEqual(["00", "00", "01", "00"]);
});
