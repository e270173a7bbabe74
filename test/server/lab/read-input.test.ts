import { expect, it } from "vitest";
import * as z from "zod/mini";
import { parsed, readInput } from "../../../src/server/lab/read-input.ts";

const number = parsed({
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  allowed: (text) => (text === "0x" ? "a decimal number" : "a number"),
});
const schema = z.strictObject({ times: z.optional(number), on: z.optional(z.string("a text")) });

it("returns what the fields mean", () => {
  expect(readInput(schema, { times: "7", on: "*" })).toEqual({ times: 7, on: "*" });
});

it.each([
  [{ time: 2 }, 'unknown field "time"; fields are times, on'],
  [{ times: "x" }, 'times must be a number, not "x"'],
  [{ times: "0x" }, 'times must be a decimal number, not "0x"'],
  [{ times: 1.5 }, "times must be a number, not 1.5"],
  [{ on: ["y".repeat(99)] }, `on must be a text, not ["${"y".repeat(58)}…`],
])("refuses %j, and says why", (source, message) => {
  expect(() => readInput(schema, source)).toThrow(message);
});
