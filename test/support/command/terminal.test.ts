import { describe, expect, it } from "vitest";
import { fakeClock, recordOutput, screenLines, widestLine, withoutSequences } from "./terminal.ts";

const never = new AbortController().signal;

describe("recordOutput", () => {
  it("keeps each write and the whole text", async () => {
    const output = recordOutput({ isTTY: true, columns: 40 });
    await output.write("a");
    await output.write("b\n");
    expect(output).toMatchObject({ isTTY: true, columns: 40, text: "ab\n", writes: ["a", "b\n"] });
  });
});

describe("fakeClock", () => {
  it("lets a sleep take its time on both clocks, but no real time", async () => {
    const clock = fakeClock(1_000_000);
    await clock.sleep(3_600_000, never);
    expect([clock.now(), clock.monotonic(), clock.sleeps]).toEqual([
      4_600_000,
      3_600_000,
      [3_600_000],
    ]);
  });

  it("wakes the sleeper that is due first", async () => {
    const clock = fakeClock();
    const woken: string[] = [];
    const sleep = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms, never);
      woken.push(`${name} at ${clock.monotonic()}`);
    };
    await Promise.all([sleep("late", 500), sleep("early", 20), sleep("middle", 300)]);
    expect(woken).toEqual(["early at 20", "middle at 300", "late at 500"]);
  });

  it("rejects a sleep with the reason of its signal, and forgets it", async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const slept = clock.sleep(1000, controller.signal);
    controller.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    await expect(clock.sleep(1000, controller.signal)).rejects.toThrow("enough");
    await clock.sleep(5, never);
    expect(clock.monotonic()).toBe(5);
  });

  it("jumps independently of the monotonic clock", () => {
    const clock = fakeClock(1000);
    clock.jump(-400);
    clock.advance(50);
    expect([clock.now(), clock.monotonic()]).toEqual([650, 50]);
  });
});

describe("screenLines", () => {
  it.each([
    ["two lines", "one\ntwo\r\n", ["one", "two"]],
    ["a line that is written over", "in 10 s\rin 9 s", ["in 9 ss"]],
    ["a line that is erased first", "in 10 s\r\x1b[Kin 9 s\r\x1b[K", []],
    ["colours", "\x1b[31mred\x1b[39m\n", ["red"]],
    ["a line that wraps", "0123456789abc\n", ["0123456789", "abc"]],
    ["a wide character that does not fit", "012345678日\n", ["012345678", "日"]],
    ["a combining mark", "e\u0301x\n", ["e\u0301x"]],
    ["a backspace", "ab\bc\n", ["ac"]],
  ])("shows %s", (_case, text, lines) => {
    expect(screenLines(text, 10)).toEqual(lines);
  });

  it("rejects an unknown sequence", () => {
    expect(() => screenLines("\x1b[2J")).toThrow("unknown sequence");
  });
});

describe("widestLine", () => {
  it("counts what a terminal shows", () => {
    expect(widestLine("\x1b[1mabc\x1b[22m\n日本\r\n👩‍👩‍👧")).toBe(4);
    expect(withoutSequences("\x1b[1mabc\x1b[22m")).toBe("abc");
  });
});
