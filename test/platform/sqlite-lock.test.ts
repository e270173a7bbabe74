import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { isLocked, type Lock, tryLock } from "../../src/platform/sqlite-lock.ts";
import { temporaryFolder } from "../support/program/program.ts";

const lockModule = path.resolve(import.meta.dirname, "../../src/platform/sqlite-lock.ts");
const holder = `
  const { tryLock } = await import(process.argv[1]);
  console.log("started");
  const said = tryLock(process.argv[2], Number(process.argv[3])) === undefined ? "refused" : "taken";
  setImmediate(() => {
    gc();
    console.log(said);
  });
  setInterval(() => {}, 1000);
`;

/** Starts a process that tries to take a lock for `timeout` ms, and then keeps it. */
async function tryInAnotherProcess(file: string, timeout = 0) {
  const words = ["--expose-gc", "--input-type=module", "-e", holder];
  const child = spawn(process.execPath, [...words, lockModule, file, `${timeout}`]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "close");
  };
  return { said: async () => (await lines.next()).value, kill };
}

// Holds a lock briefly, like a process that tries it at the same moment, until another one waits for it.
const asker = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const open = (begin) => {
    const database = new DatabaseSync(workerData);
    database.exec(begin + "SELECT * FROM sqlite_master");
    return database;
  };
  const first = open("BEGIN; ");
  parentPort.postMessage("asking");
  try {
    for (;;) open("").close();
  } catch {
    first.close();
  }
`;

// Looks at a lock, for so many ms; a real look is shorter.
const looker = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData.file);
  database.exec("BEGIN; SELECT * FROM sqlite_master");
  parentPort.postMessage("looking");
  setTimeout(() => database.close(), workerData.ms);
`;

/** Starts threads that look at the lock of a file for so many ms. */
async function lookAt(file: string, ...times: readonly number[]): Promise<readonly Worker[]> {
  const workers = times.map((ms) => new Worker(looker, { eval: true, workerData: { file, ms } }));
  await Promise.all(workers.map((worker) => once(worker, "message")));
  return workers;
}

describe("tryLock", () => {
  it("gives a lock once, and again after its release, in a file that only the owner may read", () => {
    const file = path.join(temporaryFolder(), "a.lock");
    const first = tryLock(file);
    expect(first).toBeDefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(tryLock(file)).toBeUndefined();
    first?.release();
    const second = tryLock(file);
    expect(second).toBeDefined();
    second?.release();
  });

  it("keeps other processes out, even after this one has tried twice, and looked", async () => {
    const file = path.join(temporaryFolder(), "a.lock");
    const lock = tryLock(file);
    expect(tryLock(file)).toBeUndefined();
    expect(isLocked(file)).toBe(true);
    const other = await tryInAnotherProcess(file);
    expect(await other.said()).toBe("refused");
    await other.kill();
    lock?.release();
  });

  it("holds a lock that nothing refers to, and frees it when the holder is killed", async () => {
    const file = path.join(temporaryFolder(), "a.lock");
    const other = await tryInAnotherProcess(file);
    expect(await other.said()).toBe("taken");
    expect(tryLock(file)).toBeUndefined();
    await other.kill();
    const lock = tryLock(file);
    expect(lock).toBeDefined();
    lock?.release();
  });

  it("does not fail because of a process that tries at the same moment and gets nothing", async () => {
    const file = path.join(temporaryFolder(), "a.lock");
    tryLock(file)?.release();
    const worker = new Worker(asker, { eval: true, workerData: file });
    await once(worker, "message");
    const lock = tryLock(file);
    await worker.terminate();
    expect(lock).toBeDefined();
    lock?.release();
  });

  it.each([
    [[250], 100, true],
    [[250, 200, 150], 100, true],
    [[20_000], 0, false],
    [[20_000], 100, false],
  ])(
    "where others look for %j ms, takes it within %i ms at a time: %s",
    async (times, timeout, isTaken) => {
      const file = path.join(temporaryFolder(), "a.lock");
      tryLock(file)?.release();
      const workers = await lookAt(file, ...times);
      const lock = tryLock(file, timeout);
      await Promise.all(workers.map((worker) => worker.terminate()));
      expect(lock !== undefined).toBe(isTaken);
      lock?.release();
    },
  );

  it("gives one lock to all, even if the holder removes the file while others wait", async () => {
    const file = path.join(temporaryFolder(), "a.lock");
    const lock = tryLock(file);
    const other = await tryInAnotherProcess(file, 60_000);
    rmSync(file);
    lock?.release();
    expect(await other.said()).toBe("taken");
    expect(tryLock(file, 0)).toBeUndefined();
    await other.kill();
  });

  it("says what is wrong with a file that can't be used", () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "a.lock");
    writeFileSync(file, "this is no database ".repeat(100));
    expect(() => tryLock(file)).toThrow("file is not a database");
    expect(() => tryLock(path.join(folder, "none", "a.lock"))).toThrow("ENOENT");
  });
});

describe("isLocked", () => {
  it.each<[string, (file: string) => unknown, boolean]>([
    ["a file that is not there", () => {}, false],
    ["an empty file", (file) => writeFileSync(file, ""), false],
    ["another file", (file) => writeFileSync(file, "this is no database ".repeat(100)), false],
    ["a directory", (file) => mkdirSync(file), false],
    ["a lock", (file) => tryLock(file), true],
    ["a lock that was released", (file) => tryLock(file)?.release(), false],
    ["a file at which others look", (file) => lookAt(file, 60_000, 60_000), false],
  ])("of %s is %s", async (what, make, expected) => {
    const file = path.join(temporaryFolder(), "a.lock");
    const made = await make(file);
    expect(isLocked(file)).toBe(expected);
    expect(existsSync(file)).toBe(what !== "a file that is not there");
    if (Array.isArray(made)) await Promise.all(made.map((worker: Worker) => worker.terminate()));
    if (expected) (made as Lock).release();
  });

  it("is not any more once the holder is killed", async () => {
    const file = path.join(temporaryFolder(), "a.lock");
    const other = await tryInAnotherProcess(file);
    expect(await other.said()).toBe("taken");
    expect(isLocked(file)).toBe(true);
    await other.kill();
    expect(isLocked(file)).toBe(false);
  });
});
