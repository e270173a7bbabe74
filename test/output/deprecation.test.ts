import { expect, it } from "vitest";
import { deprecationText } from "../../src/output/deprecation.ts";

const begin = "The service says that this request";

it.each([
  [
    { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" },
    `${begin} is deprecated as of 5 December 2025 and will be removed on 5 December 2030.`,
  ],
  [{ deprecation: "true" }, `${begin} is deprecated.`],
  [{ deprecation: "?1" }, `${begin} is deprecated.`],
  [
    { deprecation: "Sun, 11 Nov 2018 23:59:59 GMT" },
    `${begin} is deprecated as of 11 November 2018.`,
  ],
  [{ sunset: "Thu, 05 Dec 2030 00:00:00 GMT" }, `${begin} will be removed on 5 December 2030.`],
  [{ deprecation: "true", sunset: " " }, `${begin} is deprecated.`],
  [{ sunset: "1" }, `${begin} will be removed on "1".`],
  [{ sunset: "soon \x1b[2J" }, `${begin} will be removed on "soon \\x1b[2J".`],
  [{ deprecation: "@99999999999999" }, `${begin} is deprecated as of "@99999999999999".`],
  [
    { deprecation: "@1", link: '</v1/pets?status=available>; rel="successor-version"' },
    `${begin} is deprecated as of 1 January 1970; see /v1/pets?status=available.`,
  ],
  [{ deprecation: "@1", link: '<x>; rel="next"' }, `${begin} is deprecated as of 1 January 1970.`],
  [{}, `${begin} is deprecated.`],
])("describes %j", (notice, text) => {
  expect(deprecationText(notice)).toBe(text);
});

it("limits the length of what it shows", () => {
  const text = deprecationText({
    sunset: "x".repeat(1e6),
    link: `<${"y".repeat(1e6)}>; rel=sunset`,
  });
  expect(text.length).toBeLessThan(400);
});
