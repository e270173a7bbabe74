// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { formatJson } from "../../../../src/server/page/app/request-detail.tsx";

it.each([
  ['{"name":"a","name":"b"}', '{\n  "name": "a",\n  "name": "b"\n}'],
  ["[1e400,1.0,-0,12345678901234567890]", "[\n  1e400,\n  1.0,\n  -0,\n  12345678901234567890\n]"],
  [
    '{"__proto__":{"a":null},"7":1,"1":2}',
    '{\n  "__proto__": {\n    "a": null\n  },\n  "7": 1,\n  "1": 2\n}',
  ],
  [
    String.raw`["\u0041\/\ud800","[{\",:"]`,
    String.raw`[
  "\u0041\/\ud800",
  "[{\",:"
]`,
  ],
  ["\t[ { } , [\n] ]\r\n", "[\n  {},\n  []\n]"],
  ["{ }", "{}"],
])("a body %j is %j with a line for each value, and otherwise as it was sent", (sent, shown) => {
  expect(formatJson(sent)).toBe(shown);
});

it.each(["", "text", '"a  b"', " 7", '{"a":1', '{"a":1} x', '\uFEFF{"a":1}', "[".repeat(600)])(
  "a body %j is as it was sent",
  (sent) => {
    expect(formatJson(sent)).toBe(sent);
  },
);
