import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  envFor,
  finished,
  runPets,
  script,
  shellCode,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";
import { reply, startStranger, type Stranger } from "../support/servers/stranger.ts";

const onLinux = process.platform === "linux";

/** A hundred animals whose names take 4 MB. */
const longPets = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({ id, name: "x".repeat(40_000), categoryId: id })),
);

/** Starts the built program with a file as its standard output; returns the process, and how it ends. */
function startInto(stdout: number, args: readonly string[], stranger: Stranger) {
  const child = spawn(process.execPath, [script, ...args], {
    env: envFor(stranger),
    stdio: ["ignore", stdout, "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, ended: endOf(child) };
}

async function endOf(child: ChildProcess) {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  // "close" waits for standard error as well.
  const [code, signal] = await once(child, "close");
  return { code: shellCode(code, signal), stderr };
}

/** A disk that is full. */
function fullDisk(): number {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  return full;
}

/** A full pipe, on which every write blocks. */
function fullPipe(): number {
  const file = `${temporaryFolder()}/pipe`;
  execFileSync("mkfifo", [file]);
  const both = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(file, "w");
  onTestFinished(() => [both, writer].forEach(closeSync));
  for (const size of [4096, 1]) {
    expect(() => {
      for (;;) writeSync(both, Buffer.alloc(size));
    }).toThrow("EAGAIN");
  }
  return writer;
}

it("prints no warning of Node's if both NO_COLOR and FORCE_COLOR are set", async () => {
  const env = envFor({ baseUrl: "http://127.0.0.1:1/v1" }, { NO_COLOR: "1", FORCE_COLOR: "1" });
  const run = await runPets(["list", "--max-wait", "0"], { env });
  expect(run.stderr).toMatch(/^\u001b\[31mpets:/);
  expect(run.stderr).not.toContain("Warning");
});

describe("standard output", () => {
  it("ends the command quietly with 0 when its reader goes away", async () => {
    const stranger = await startStranger(reply(200, longPets));
    const child = startPets(["list", "--json"], { env: envFor(stranger) });
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await endOf(child)).toEqual({ code: 0, stderr: "" });
  });

  it("reaches a slow reader completely", async () => {
    const stranger = await startStranger(reply(200, longPets));
    const child = startPets(["list", "--json"], { env: envFor(stranger) });
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 300);
    const run = await finished(child);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toHaveLength(100);
  });

  it.runIf(onLinux)("causes exit 1 on a full disk", async () => {
    const stranger = await startStranger(reply(200, "[]"));
    for (const args of [["list", "-o", "csv"], ["--version"], ["--help"]]) {
      const { code, stderr } = await startInto(fullDisk(), args, stranger).ended;
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toMatch(/^pets: cannot write to standard output: no space left/);
    }
  });

  it.runIf(onLinux)("reports on a full disk that an animal was still added", async () => {
    const stranger = await startStranger(reply(201, '{"id":7,"name":"Rex","categoryId":1}'));
    const args = ["add", "--name", "Rex", "--category", "1", "--json"];
    const { code, stderr } = await startInto(fullDisk(), args, stranger).ended;
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: expect.stringContaining("was added with id 7"),
      retryable: false,
      pet: { name: "Rex", categoryId: 1 },
    });
  });
});

describe("signals", () => {
  const add = ["add", "--name", "Rex", "--category", "1"];
  it.each([
    ["SIGINT", ["list"], 130, true],
    ["SIGTERM", ["list"], 143, true],
    ["SIGINT", add, 130, false],
  ] as const)("%s during %j is %d", async (signal, args, code, retryable) => {
    const raw = await startStranger(() => void child.kill(signal));
    const child = startPets([...args, "--json"], { env: envFor(raw) });
    const run = await finished(child);
    expect(run).toMatchObject({ code, stdout: "" });
    const { error } = JSON.parse(run.stderr);
    expect(error).toMatchObject({ code: "interrupted", exitCode: code, retryable });
    expect(error.message.includes("may or may not")).toBe(!retryable);
  });

  it.runIf(onLinux)("SIGTERM ends a wait for a slow reader of a pipe", async () => {
    const stranger = await startStranger(reply(200, "[]"));
    const { child, ended } = startInto(fullPipe(), ["list", "--json", "--verbose"], stranger);
    child.stderr?.on("data", (chunk) => String(chunk).includes("200") && child.kill("SIGTERM"));
    expect(await ended).toMatchObject({ code: 143 });
  });
});
