import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../../src/client/http/http-date.ts";

describe("parseHttpDate", () => {
  it.each<[string, string]>([
    ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Saturday, 21-Nov-26 00:00:00 GMT", "2026-11-21T00:00:00Z"],
    ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"],
    ["Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"],
    ["Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"],
  ])("%s", (text, iso) => {
    expect(parseHttpDate(text)).toBe(Date.parse(iso));
  });

  it.each([
    "",
    "0",
    "120",
    "2026-11-21T00:00:00Z",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 31 Feb 2026 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun Nov 6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37 GMT ",
    " Sun, 06 Nov 1994 08:49:37 GMT",
    "Someday, 06-Nov-94 08:49:37 GMT",
  ])("refuses %j", (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});
