import { array, assert, nat, property } from "fast-check";
import { expect, it } from "vitest";
import { sseParser } from "../../../src/server/request-log/sse.ts";

const text = ':\n\nevent: request\nid: s-1\ndata: {"a":"b: c"}\n\ndata: x\n\n:\n\n';
const events = [
  { event: "request", id: "s-1", data: '{"a":"b: c"}' },
  { event: "message", id: "", data: "x" },
];

it("reads events, and skips comments", () => {
  expect(sseParser()(text)).toEqual(events);
});

it("reads the same events wherever the stream is cut", () => {
  assert(
    property(array(nat(text.length)), (cuts) => {
      const parse = sseParser();
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
      expect(pieces.flatMap((piece) => parse(piece))).toEqual(events);
    }),
  );
});
