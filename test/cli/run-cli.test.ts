import { describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import type { Runtime } from "../../src/commands/runtime.ts";
import { BrokenPipe, ioFailure } from "../../src/core/errors.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { recordOutput } from "../support/command/terminal.ts";
import { runHere } from "../support/command/world.ts";

const program = { version: "1.2.3", help: "the help\n" };

describe("runCli", () => {
  it.each([
    ["--version", undefined, "1.2.3\n"],
    ["-V", 40, "1.2.3\n"],
    ["--help", undefined, "the help\n"],
    ["-h", 80, "the help\n"],
  ])("prints what the build made for `pets %s` on %s columns", async (flag, columns, text) => {
    const stdout = recordOutput(columns === undefined ? {} : { isTTY: true, columns });
    const runtime = { argv: [flag], env: {}, stdout, program } as unknown as Runtime;
    expect(await runCli(runtime)).toBe(0);
    expect(stdout.text).toBe(text);
  });

  it("prints the same with other options, which the full parser reads", async () => {
    const { stdout } = await runHere(["--version"]);
    expect(await runHere(["--version", "--json"])).toMatchObject({ code: 0, stdout });
  });

  it("lays out help again for a narrow terminal", async () => {
    const { stdout } = await runHere(["--help"], { terminal: { columns: 66 } });
    const options = stdout.slice(0, stdout.indexOf("\nAnimals:")).split("\n");
    expect(Math.max(...options.map((line) => line.length))).toBeLessThanOrEqual(66);
  });

  it.each([
    ["the reader of standard output has gone", new BrokenPipe(), 0, ""],
    ["the disk is full", ioFailure("the disk is full"), 1, "pets: the disk is full\n"],
  ])("if %s ends with %o: %i", async (_what, error, code, text) => {
    const stderr = recordOutput();
    const stdout = { ...recordOutput(), write: () => Promise.reject(error) };
    const { runtime } = makeRuntime({ argv: ["--version"] });
    const world = { ...runtime, stdout, stderr, program: { ...runtime.program, ...program } };
    expect([await runCli(world), stderr.text]).toEqual([code, text]);
  });
});
