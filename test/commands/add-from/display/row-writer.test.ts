import { describe, expect, it } from "vitest";
import { ioFailure, BrokenPipe } from "../../../../src/core/errors.ts";
import type { Output } from "../../../../src/platform/io.ts";
import { chooseRowFormat } from "../../../../src/commands/add-from/display/row-format.ts";
import { openRowWriter } from "../../../../src/commands/add-from/display/row-writer.ts";
import { fakeClock, recordOutput } from "../../../support/command/terminal.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import { added, rejected } from "./rows-ended.ts";

const never = new AbortController().signal;

async function setUp(stdout: Output = recordOutput(), changes: object = { quiet: true }) {
  const clock = fakeClock();
  const stderr = recordOutput();
  const context = { stdout, stderr, clock, env: {}, settings: settingsWith(changes) };
  const format = await chooseRowFormat(context, {}, 1);
  return { clock, stderr, writer: openRowWriter(context, format) };
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

  it("writes the rest when it is closed, without a pause", async () => {
    const stdout = recordOutput();
    const { writer, clock } = await setUp(stdout);
    void writer.add(added(1, 1n));
    await writer.close(true);
    expect(stdout.text).toBe("1\n");
    expect(clock.monotonic()).toBeLessThan(5);
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
    expect(stderr.text).toBe("line 2: Rex (category 3) was rejected: the name is too long\n");
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
