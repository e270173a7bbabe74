import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FleetLimiter } from "../../src/rate-limiter/fleet-limiter.ts";
import { LocalLimiter } from "../../src/rate-limiter/local-limiter.ts";
import { openLimiter } from "../../src/rate-limiter/open-limiter.ts";
import type { Limiter } from "../../src/rate-limiter/types.ts";
import { testMachine } from "../support/command/machine.ts";
import { fakeClock } from "../support/command/terminal.ts";
import { temporaryFolder } from "../support/program/program.ts";

type Options = Parameters<typeof openLimiter>[0];

function open(state: string, more: Partial<Options> = {}) {
  const clock = fakeClock();
  const moved: string[] = [];
  const temporary = path.join(temporaryFolder(), "pets");
  const opened = openLimiter({
    clock,
    machine: testMachine(clock, { uid: process.getuid?.() }),
    random: Math.random,
    folders: { config: "", data: "", cache: "", state, temporary },
    origin: "https://shop.example",
    apiKey: "key",
    server: undefined,
    onMoved: (what) => void moved.push(what),
    onUnusable: () => {},
    ...more,
  });
  return { opened, moved, temporary };
}

it("is kept in the state directory, else in the temporary one, which is said", async () => {
  const state = temporaryFolder();
  const usual = open(state);
  expect(await (await usual.opened).tryAcquire(1_000)).toMatchObject({ go: true });
  expect([existsSync(usual.temporary), usual.moved]).toEqual([false, []]);
  writeFileSync(path.join(state, "file"), "");
  const other = open(path.join(state, "file"));
  expect(await (await other.opened).tryAcquire(1_000)).toMatchObject({ go: true });
  expect([existsSync(other.temporary), other.moved.length]).toEqual([true, 1]);
});

/** Returns why a request has to wait, if it has to. */
const reasonOf = async (opened: Promise<Limiter>) => {
  const result = await (await opened).tryAcquire(1000);
  return result.go ? "go" : result.reason;
};

describe("the limiter of a key that a command prints", () => {
  const keyCommand = { from: "the key command of profile main", command: "pass" };
  it.each<[string, string, string[]]>([
    ["in the state directory", "state", []],
    ["in the temporary directory, if that is a file", "file", ["another place"]],
  ])("keeps a wait for the next key, %s", async (_name, name, moved) => {
    const root = temporaryFolder();
    writeFileSync(path.join(root, "file"), "");
    const folders = { config: "", data: "", cache: "", temporary: path.join(root, "pets") };
    const more = { folders: { ...folders, state: path.join(root, name) } };
    for (const apiKey of ["a", "b", "c"]) {
      const each = open("", { ...more, apiKey, keyCommand });
      const limiter = await each.opened;
      if (apiKey === "a") limiter.complete("x", { status: 429, waitMs: 60_000 });
      expect(limiter.status().condition).toMatchObject({ reason: "blocked" });
      expect(each.moved).toHaveLength(moved.length);
    }
    expect(await reasonOf(open("", { ...more, apiKey: "d" }).opened)).toBe("go");
  });

  it("is that of the key if nothing can be kept", async () => {
    const folders = { config: "", data: "", cache: "", state: "/proc/none" };
    const opened = open("", { folders, keyCommand }).opened;
    expect(await reasonOf(opened)).toBe("go");
  });
});

it("is that of this machine unless a server is named", async () => {
  expect(await open(temporaryFolder()).opened).toBeInstanceOf(LocalLimiter);
  const server = { host: "h", port: 1, tls: false, database: 0, url: "redis://h", required: false };
  expect(await open(temporaryFolder(), { server }).opened).toBeInstanceOf(FleetLimiter);
});
