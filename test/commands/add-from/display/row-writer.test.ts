import { describe, expect, it } from "vitest";
import { ioFailure, BrokenPipe } from "../../../../src/core/errors.ts";
import type { Output } from "../../../../src/platform/io.ts";
import { delimitedLines, idsOnly } from "../../../../src/commands/add-from/display/row-format.ts";
import { BufferedRowWriter } from "../../../../src/commands/add-from/display/row-writer.ts";
import { fakeClock, recordOutput } from "../../../support/terminal.ts";
import { added, rejected } from "./rows-ended.ts";

const never = new AbortController().signal;

function setUp(stdout: Output = recordOutput(), lines = idsOnly) {
  const clock = fakeClock();
  const stderr = recordOutput();
  return { clock, stderr, printer: new BufferedRowWriter({ stdout, stderr, clock, lines }) };
}

/** Standard output whose writes reject with `error`. */
const broken = (error: unknown): Output => ({
  isTTY: false,
  columns: undefined,
  async write() {
    throw error;
  },
});

describe("a printer of rows", () => {
  it("writes what ends together at once, within 50 ms", async () => {
    const stdout = recordOutput();
    const { printer, clock } = setUp(stdout);
    void printer.tell(added(1, 1n));
    void printer.tell(added(2, 2n));
    await clock.sleep(50, never);
    expect(stdout.writes).toEqual(["1\n2\n"]);
    void printer.tell(added(3, 3n));
    await clock.sleep(50, never);
    expect(stdout.writes).toEqual(["1\n2\n", "3\n"]);
  });

  it("writes the rest when it is closed, without a pause", async () => {
    const stdout = recordOutput();
    const { printer, clock } = setUp(stdout);
    void printer.tell(added(1, 1n));
    await printer.close(true);
    expect([stdout.text, clock.monotonic()]).toEqual(["1\n", 0]);
  });

  it.each([
    [true, "line,outcome,id,name,categoryId,status,error\r\n"],
    [false, ""],
  ])("without rows, and whole: %s, writes %j", async (isWhole, text) => {
    const stdout = recordOutput();
    await setUp(stdout, await delimitedLines("csv", false)).printer.close(isWhole);
    expect(stdout.text).toBe(text);
  });

  it("lets nobody bring more than it can hold", async () => {
    const stdout = recordOutput();
    const { printer } = setUp(stdout);
    const answers = Array.from({ length: 1000 }, (_none, i) => printer.tell(added(i, BigInt(i))));
    expect(answers.slice(0, -1).every((answer) => answer === undefined)).toBe(true);
    await answers.at(-1);
    expect(stdout.text.split("\n")).toHaveLength(1001);
  });

  it("goes on when the reader went away", async () => {
    const { printer, stderr, clock } = setUp(broken(new BrokenPipe()));
    void printer.tell(added(1, 1n));
    await clock.sleep(50, never);
    expect(printer.tell(rejected(2))).toBeUndefined();
    await printer.close(true);
    expect(stderr.text).toBe("line 2 was rejected: the name is too long\n");
  });

  it("tells whoever comes next that standard output can't be written", async () => {
    const failure = ioFailure("no space left on device");
    const { printer, clock } = setUp(broken(failure));
    void printer.tell(added(1, 1n));
    await clock.sleep(50, never);
    await expect(printer.tell(added(2, 2n))).rejects.toBe(failure);
    await expect(printer.close(true)).rejects.toBe(failure);
  });

  it("keeps the order of what comes while it writes", async () => {
    const texts: string[] = [];
    const slow: Output = {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        await new Promise((resolve) => void setImmediate(resolve));
        texts.push(text);
      },
    };
    const { printer, clock } = setUp(slow);
    for (let i = 0; i < 50; i++) {
      void printer.tell(added(i, BigInt(i)));
      if (i % 7 === 0) await clock.sleep(13, never);
    }
    await printer.close(true);
    expect(texts.join("").trim().split("\n")).toEqual(
      Array.from({ length: 50 }, (_n, i) => `${i}`),
    );
  });
});
