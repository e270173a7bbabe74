import { describe, expect, it } from "vitest";
import {
  chooseRowFormat,
  notAddedLines,
  openRowWriter,
} from "../../../../src/commands/add-from/display/rows.ts";
import { ioFailure, BrokenPipe } from "../../../../src/core/errors.ts";
import { Secrets } from "../../../../src/core/secrets.ts";
import type { Output } from "../../../../src/platform/io.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import { fakeClock, recordOutput } from "../../../support/command/terminal.ts";
import { added, rejected, row, unknown } from "./rows-ended.ts";

const ends = [added(1, 9223372036854775807n, { status: "sold" }), rejected(2), unknown(4)];

type Changes = Parameters<typeof settingsWith>[0];

/** Returns how the rows of a run are formatted with these settings, on a terminal of so many columns or in a pipe. */
function open(changes: Changes, columns?: number) {
  const stdout = recordOutput(columns === undefined ? {} : { isTTY: true, columns });
  const settings = settingsWith({
    color: false,
    given: changes?.format === undefined ? {} : { format: { value: changes.format, from: "-o" } },
    ...changes,
  });
  const streams = { stdout, stderr: recordOutput() };
  const context = { ...streams, clock: fakeClock(), env: {}, settings, secrets: new Secrets() };
  return chooseRowFormat(context);
}

describe("rows as JSON", () => {
  it("are one line each, with exact ids, or the keys of a JSON error", async () => {
    expect((await open({ format: "json" }, 80)).add(ends)).toBe(
      [
        '{"line":1,"outcome":"added","pet":{"id":9223372036854775807,"name":"Rex","categoryId":3,"status":"sold"}}',
        '{"line":2,"outcome":"rejected","error":{"code":"invalid_name","message":"the name is too long","status":422,"exitCode":2,"retryable":false,"attempts":1}}',
        '{"line":4,"outcome":"unknown","pet":{"name":"Rex","categoryId":3,"status":"sold"},"error":{"code":"outcome_unknown","message":"no whole answer in time","exitCode":8,"retryable":false}}',
        "",
      ].join("\n"),
    );
  });

  it("contain only the fields of an animal", async () => {
    const pet = { ...row(1).pet, id: 1n, tag: "x" };
    const text = (await open({ format: "json" })).add([{ outcome: "added", row: row(1), pet }]);
    expect(JSON.parse(text).pet).toEqual({ id: 1, name: "Rex", categoryId: 3 });
  });
});

describe("rows as ids", () => {
  it("are the new ids only; rows that were not added are reported on standard error", async () => {
    const format = await open({ quiet: true });
    expect([format.add(ends), format.isComplete]).toEqual(["9223372036854775807\n", false]);
    expect(notAddedLines(ends)).toBe(
      "line 2: Rex (category 3): rejected: the name is too long\nline 4: Rex (category 3, sold): outcome unknown (no whole answer in time)\n",
    );
  });

  it("show outside text on one line", () => {
    expect(notAddedLines([rejected(2, "a\x1b[2J\n\u202e")])).toBe(
      "line 2: Rex (category 3): rejected: a\\x1b[2J\\n\\u202e\n",
    );
  });
});

describe("rows as CSV", () => {
  it("have a header above the first row only", async () => {
    const lines = await open({ format: "csv" });
    const given = [added(1, 7n, { name: 'a, "b"' }), rejected(2, "x\ty\n"), unknown(4)];
    expect(given.map((end) => lines.add([end])).join("") + lines.add([])).toBe(
      [
        "line,outcome,id,name,categoryId,status,error",
        '1,added,7,"a, ""b""",3,,',
        '2,rejected,,Rex,3,,"x\ty\n"',
        "4,unknown,,Rex,3,sold,no whole answer in time",
        "",
      ].join("\r\n"),
    );
  });

  it("are escaped for a terminal", async () => {
    const lines = await open({ format: "csv" }, 80);
    expect(lines.add([rejected(2, "\x1b[2J")])).toContain(",\\x1b[2J");
  });
});

it.each<[Changes, string]>([
  [{ format: "csv" }, "line,outcome,id,name,categoryId,status,error\r\n"],
  [{ format: "tsv" }, "line\toutcome\tid\tname\tcategoryId\tstatus\terror\n"],
  [{ format: "json" }, ""],
  [{ quiet: true }, ""],
  [{ verbose: true }, ""],
])("without rows, %j is %j", async (changes, text) => {
  expect((await open(changes)).add([])).toBe(text);
});

describe("rows as a table", () => {
  it("have fixed columns, the line first, and those that were added only", async () => {
    const table = await open({ verbose: true });
    expect(table.add([added(1, 7n), rejected(2), added(3, 107n, { status: "sold" })])).toBe(
      [
        "LINE    ID      NAME                  CATEGORY  STATUS",
        "1       7       Rex                   3",
        "3       107     Rex                   3         sold",
        "",
      ].join("\n"),
    );
    expect([table.add([rejected(1), unknown(2)]), table.isComplete]).toEqual(["", false]);
  });

  it("begin no line with a name, which a log may read as a command", async () => {
    const table = await open({ verbose: true });
    const name = "::error title=x::y\n::set-output name=a::b";
    const text = table.add([added(1, 7n, { name }), added(2, 8n, { name })]);
    expect(text).not.toMatch(/^\s*::/m);
    expect(notAddedLines([rejected(3, name), unknown(4)])).not.toMatch(/^\s*::/m);
  });
});

const never = new AbortController().signal;

async function setUp(stdout: Output = recordOutput(), changes: object = { quiet: true }) {
  const clock = fakeClock();
  const stderr = recordOutput();
  const settings = settingsWith(changes);
  const context = { stdout, stderr, clock, env: {}, settings, secrets: new Secrets() };
  return { clock, stderr, writer: await openRowWriter(context) };
}

/** Returns a standard output whose writes reject with `error`. */
const broken = (error: unknown): Output => ({
  isTTY: false,
  columns: undefined,
  async write() {
    throw error;
  },
});

describe("openRowWriter", () => {
  it("writes rows that end together in one write, within 50 ms", async () => {
    const stdout = recordOutput();
    const { writer, clock } = await setUp(stdout);
    void writer.add(added(1, 1n));
    void writer.add(added(2, 2n));
    await clock.sleep(50, never);
    expect(stdout.writes).toEqual(["1\n2\n"]);
    void writer.add(added(3, 3n));
    await clock.sleep(50, never);
    expect(stdout.writes).toEqual(["1\n2\n", "3\n"]);
  });

  it.each([
    [true, "line,outcome,id,name,categoryId,status,error\r\n"],
    [false, ""],
  ])("without rows, and whole: %s, writes %j", async (isWhole, text) => {
    const stdout = recordOutput();
    const { writer } = await setUp(stdout, { format: "csv" });
    await writer.close(isWhole);
    expect(stdout.text).toBe(text);
  });

  it("makes callers wait if it is full", async () => {
    const stdout = recordOutput();
    const { writer } = await setUp(stdout);
    const answers = Array.from({ length: 1000 }, (_none, i) => writer.add(added(i, BigInt(i))));
    expect(answers.slice(0, -1).every((answer) => answer === undefined)).toBe(true);
    await answers.at(-1);
    expect(stdout.text.split("\n")).toHaveLength(1001);
  });

  it("continues if the reader has gone", async () => {
    const { writer, stderr, clock } = await setUp(broken(new BrokenPipe()));
    void writer.add(added(1, 1n));
    await clock.sleep(50, never);
    expect(writer.add(rejected(2))).toBeUndefined();
    await writer.close(true);
    expect(stderr.text).toBe("line 2: Rex (category 3): rejected: the name is too long\n");
  });

  it("rejects the next row if standard output cannot be written", async () => {
    const failure = ioFailure("no space left on device");
    const { writer, clock } = await setUp(broken(failure));
    void writer.add(added(1, 1n));
    await clock.sleep(50, never);
    await expect(writer.add(added(2, 2n))).rejects.toBe(failure);
    await expect(writer.close(true)).rejects.toBe(failure);
  });

  it("keeps the order of rows that are added while it writes", async () => {
    const texts: string[] = [];
    const slow: Output = {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        await new Promise((resolve) => void setImmediate(resolve));
        texts.push(text);
      },
    };
    const { writer, clock } = await setUp(slow);
    for (let i = 0; i < 50; i++) {
      void writer.add(added(i, BigInt(i)));
      if (i % 7 === 0) await clock.sleep(13, never);
    }
    await writer.close(true);
    expect(texts.join("").trim().split("\n")).toEqual(
      Array.from({ length: 50 }, (_n, i) => `${i}`),
    );
  });
});
