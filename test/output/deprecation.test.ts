import { expect, it } from "vitest";
import { deprecationText } from "../../src/output/deprecation.ts";

it.each([
  [
    { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" },
    "(Deprecation: @1764892800; Sunset: Thu, 05 Dec 2030 00:00:00 GMT).",
  ],
  [{ sunset: "soon" }, "(Sunset: soon)."],
  [{ deprecation: "x".repeat(1e6) }, `(Deprecation: ${"x".repeat(99)}…).`],
])("shows %j as it was sent", (notice, text) => {
  expect(deprecationText(notice)).toBe(`The service says that this request is deprecated ${text}`);
});
