import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Line } from "../../../src/core/lines.ts";
import { csvRecords } from "../../../src/imports/input/csv.ts";
import { Rereadable } from "../../../src/imports/input/rereadable.ts";
import { invalidRows } from "../../../src/imports/input/suggest.ts";
import { InputText } from "../../../src/imports/input/text.ts";
import type { TableRecord } from "../../../src/imports/types.ts";
import { fileOf, mebi, openAt, outcomeOf, rowsIn } from "../support/input.ts";

const recordsOf = (text: string): readonly TableRecord[] => [
  ...csvRecords(new Rereadable(new InputText([Buffer.from(text)]).lines()), ",", () => undefined),
];

/** Returns a record as `line/row: cells`, or what is wrong with it; quoted cells in brackets. */
const shown = ({ line, row = line, cells, quoted, fault }: TableRecord): string =>
  `${line}/${row}: ${fault?.message ?? cells.map((cell, at) => (quoted?.[at] ? `[${cell}]` : cell)).join("|")}`;

const after = "text after a closing quote; double each quote inside a value";
const open = "quote never closed within 1 MiB";

describe("the records of CSV", () => {
  it.each<[string, string[]]>([
    ['Rex 5",1', ['1/1: Rex 5"|1']],
    ['"Rex 5""",1', ['1/1: [Rex 5"]|1']],
    ['5" "x",1', ['1/1: 5" "x"|1']],
    [' "Rex"\t,\t" 1 "', ["1/1: [Rex]|[ 1 ]"]],
    [' Rex ,"",', ["1/1:  Rex |[]|"]],
    ['"Re"x,1\nMia,2', [`1/1: ${after}`, "2/2: Mia|2"]],
    ['"Re" x,1\n"Mia",2', [`1/1: ${after}`, "2/2: [Mia]|2"]],
    ['Rex,1\n"Mia,2\nLeo,3', ["1/1: Rex|1", `2/2: ${open}`, "3/3: Leo|3"]],
    ['"Rex,1\n"Mia",2\nLeo,3', [`1/1: ${after}`, "2/2: [Mia]|2", "3/3: Leo|3"]],
    [
      '"Re\nx",1\n"M"x,2\n"L\r\n\no",3\nTom,4',
      ["1/1: [Re\nx]|1", `3/2: ${after}`, "4/3: [L\r\n\no]|3", "7/4: Tom|4"],
    ],
    ['"Rex\n"Mia,2\n\nLeo,3', [`1/1: ${after}`, `2/2: ${open}`, "3/3: ", "4/4: Leo|3"]],
  ])("%j are %j", (text, records) => {
    expect(recordsOf(text).map(shown)).toEqual(records);
  });

  it.each(["Re\n", "\n"])("end a quote over too many lines of %j", (line) => {
    const count = mebi / line.length + 9;
    const records = recordsOf(`"${line.repeat(count)}",1`);
    expect([records[0]?.fault?.message, records.length]).toEqual([open, Math.floor(count) + 1]);
  });
});

const faulty = 'name,category\nRex,1\n"Re"x,1\nLeo 5",3\n"Mia,2\nTom,4\n';

it("a row whose quotes cannot be read is one invalid row, which --skip-invalid passes over", async () => {
  const details = [`3 ${after}`, `5 ${open}`];
  expect(await outcomeOf(faulty, "a.csv")).toMatchObject({
    message: "2 rows are invalid; nothing was sent",
    details,
  });
  const input = await openAt(fileOf(faulty, "a.csv"));
  const { facts } = await input.check();
  expect(invalidRows(facts, input, { skipInvalid: true }).refusal).toBeUndefined();
  expect((await rowsIn(input)).map(({ line, index, pet }) => [line, index, pet.name])).toEqual([
    [2, 0, "Rex"],
    [4, 2, 'Leo 5"'],
    [6, 4, "Tom"],
  ]);
  input.close();
});

/** Returns the records of these lines up to a fatal one; throws once more characters than that were given out. */
function counted(texts: readonly string[], most: number) {
  let size = 0;
  class Counted extends Rereadable<Line> {
    override next(): Line | undefined {
      const line = super.next();
      size += (line?.text?.length ?? 0) + 1;
      if (size > most) throw new Error(`more than ${most} characters`);
      return line;
    }
  }
  const lines = texts.map((text, at) => ({ number: at + 1, text, end: "\n" }));
  const records: TableRecord[] = [];
  for (const record of csvRecords(new Counted(lines), ",", () => undefined)) {
    records.push(record);
    if (record.fault?.fatal !== undefined) break;
  }
  return records;
}

it("every line of any text is in a record, or refused, once", () => {
  const text = string({ unit: constantFrom('"', '"', ",", "x", " "), maxLength: 8 });
  assert(
    property(array(text, { maxLength: 12 }), (texts) => {
      const records = counted(texts, 10_000);
      const lines = records.flatMap(({ line, fault, cells }) => {
        const count = fault === undefined ? cells.join("").split("\n").length : 1;
        return Array.from({ length: count }, (_none, at) => line + at);
      });
      expect(lines).toEqual(texts.map((_text, at) => at + 1));
    }),
    { numRuns: 500 },
  );
});

it("a file of nothing but hostile quotes ends soon", () => {
  const texts = Array.from({ length: 800 }, () => `,",${"x".repeat(500)}","`);
  // 64 MiB are read again at most, and their line ends.
  const records = counted(texts, 80 * mebi);
  expect(records.at(-1)?.fault).toEqual({
    message: `${open}; the rest of the file was not read`,
    fatal: "content",
  });
});
