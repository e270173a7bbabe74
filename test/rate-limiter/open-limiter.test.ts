import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { FleetLimiter } from "../../src/rate-limiter/fleet-limiter.ts";
import { LocalLimiter } from "../../src/rate-limiter/local-limiter.ts";
import { openLimiter } from "../../src/rate-limiter/open-limiter.ts";
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
    requiredText: String,
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

it("is that of this machine unless a server is named", async () => {
  expect(await open(temporaryFolder()).opened).toBeInstanceOf(LocalLimiter);
  const server = { host: "h", port: 1, tls: false, database: 0, url: "redis://h", required: false };
  expect(await open(temporaryFolder(), { server }).opened).toBeInstanceOf(FleetLimiter);
});
