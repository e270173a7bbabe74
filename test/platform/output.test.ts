import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { BrokenPipe, Failure } from "../../src/core/errors.ts";
import { errorOutput, isTerminal, resultOutput } from "../../src/platform/output.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { temporaryFolder } from "../support/program/program.ts";

function open(file: string, flags: string): number {
  const fd = openSync(file, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** Returns what was written to `stream`. */
function textOf(stream: PassThrough): string {
  const chunks: unknown[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return chunks.join("");
}

/** Returns a source whose stream collects what is written to it, in `text`. */
function source(settings: { mayBlock?: boolean; isatty?: boolean; error?: Error } = {}) {
  const made: PassThrough[] = [];
  const stream = (): NodeJS.WriteStream => {
    const kept = new PassThrough({ highWaterMark: 1e6 });
    made.push(kept);
    if (settings.error !== undefined) kept.destroy(settings.error);
    return kept as unknown as NodeJS.WriteStream;
  };
  return {
    stream,
    mayBlock: () => settings.mayBlock ?? false,
    isatty: () => settings.isatty ?? false,
    text: () => made.map(textOf).join("|"),
  };
}

describe("an output", () => {
  it("writes to a file without Node's stream", async () => {
    const file = path.join(temporaryFolder(), "out");
    const kept = source();
    const output = resultOutput(open(file, "w"), kept);
    await output.write("one, ");
    await output.write("zwölf\n");
    expect(readFileSync(file, "utf8")).toBe("one, zwölf\n");
    expect(kept.text()).toBe("");
  });

  it.runIf(process.platform === "linux")(
    "writes through one stream if a write must not block",
    async () => {
      const kept = source();
      const output = resultOutput(open("/dev/ptmx", "r+"), { ...kept, isatty: () => true });
      await output.write("one, ");
      await output.write("two");
      expect(kept.text()).toBe("one, two");
      expect(output.isTTY).toBe(true);
    },
  );

  it.runIf(hasProgram("mkfifo"))(
    "writes to a pipe without the stream if it may block",
    async () => {
      const file = path.join(temporaryFolder(), "pipe");
      execFileSync("mkfifo", [file]);
      const pipe = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
      onTestFinished(() => closeSync(pipe));
      const kept = source({ mayBlock: true });
      const output = resultOutput(pipe, kept);
      await output.write("one");
      expect(kept.text()).toBe("");
      // Another process made it non-blocking, and it takes 64 KiB.
      await output.write("x".repeat(100_000));
      const taken = Buffer.alloc(200_000);
      const length = readSync(pipe, taken);
      await output.write("last");
      expect(taken.toString("latin1", 0, length) + kept.text()).toBe(
        `one${"x".repeat(100_000)}last`,
      );
    },
  );

  it.runIf(process.platform === "linux")("says so when the disk is full", async () => {
    const write = resultOutput(open("/dev/full", "w"), source()).write("text");
    await expect(write).rejects.toBeInstanceOf(Failure);
    await expect(write).rejects.toThrow(/^cannot write to standard output: no space left/);
    await errorOutput(open("/dev/full", "w"), source()).write("text");
  });

  it.runIf(process.platform === "linux")(
    "rejects with BrokenPipe if the reader has gone",
    async () => {
      const error = Object.assign(new Error("EPIPE"), { code: "EPIPE" });
      const terminal = { ...source({ error }), isatty: () => true };
      const fd = open("/dev/ptmx", "r+");
      await expect(resultOutput(fd, terminal).write("text")).rejects.toBeInstanceOf(BrokenPipe);
      await errorOutput(fd, terminal).write("text");
    },
  );
});

describe("isTerminal", () => {
  it.each([
    ["a file that claims to be one", import.meta.filename, false],
    ["/dev/null", "/dev/null", true],
  ])("calls isatty only for devices: %s", (_what, file, asked) => {
    expect(isTerminal(open(file, "r"), () => true)).toBe(asked);
  });

  it("is false for a closed descriptor", () => {
    expect(isTerminal(9999, () => true)).toBe(false);
  });
});
