import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInTime } from "../support/command/world.ts";
import {
  envFor,
  finished,
  script,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { askFaulty, startFaultyStore } from "../support/servers/faulty-store.ts";
import { listen } from "../support/servers/free-port.ts";
import { nameOf, namesIn, petsFile, rowLines, twice } from "../support/servers/imports.ts";
import { readRecord } from "../support/servers/record.ts";
import type { TestStore } from "../support/servers/store.ts";

const rows = 300;

describe.concurrent("a run that gets a signal", () => {
  it.each([
    ["SIGINT", 130, "interrupted"],
    ["SIGTERM", 143, "terminated"],
  ] as const)("%s lets requests in flight finish, and ends with %d", async (signal, code, word) => {
    const lab = await startFaultyStore({ latency: "40" });
    const env = envFor(lab);
    const args = ["add", "--from", petsFile(rows), "-o", "ndjson"];
    const child = startPets(args, { env });
    const ended = finished(child);
    await once(child.stdout, "data");
    child.kill(signal);
    const run = await ended;
    expect(run.code).toBe(code);
    const told = rowLines(run.stdout);
    expect(told.every(({ outcome }) => outcome === "added")).toBe(true);
    const names = await namesIn(lab);
    expect(told.map(({ line }) => nameOf(line)).toSorted()).toEqual(names.toSorted());
    expect(names.length).toBeLessThan(rows);
    const error = JSON.parse(run.stderr.trim().split("\n").at(-1) ?? "").error;
    expect(error).toMatchObject({ code: "interrupted", exitCode: code, retryable: true });
    expect(error.message).toContain(word);
    expect(run.stderr).toContain(`pets add --from`);
    const rest = await runInTime(args, { env });
    expect(rest.code).toBe(0);
    const all = await namesIn(lab);
    expect(all).toHaveLength(rows);
    expect(twice(all)).toEqual([]);
  });

  it("twice exits at once; rows in flight are unknown, and listed by the next run", async () => {
    const lab = await startFaultyStore({ fault: "hang:1" });
    const env = envFor(lab);
    const args = ["add", "--from", petsFile(rows), "-o", "ndjson", "--timeout", "100s"];
    const results = path.join(temporaryFolder(), "results.ndjson");
    const child = startPets([...args, "--results", results], { env });
    const ended = finished(child);
    await untilBegun(env.HOME ?? "", 5);
    child.kill("SIGINT");
    const told = await untilSaid(child.stderr, "stops now");
    expect(told).toContain("Waiting for requests in flight to finish; Ctrl-C again");
    expect(child.exitCode).toBeNull();
    const start = performance.now();
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(existsSync(results)).toBe(false);
    await askFaulty(lab, "POST /_store/faults", { body: '{"fault":""}' });
    const rest = await runInTime(args, { env });
    expect(rest.code).toBe(8);
    const left = rowLines(rest.stdout).filter(({ outcome }) => outcome === "unknown");
    expect(left.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
    expect(twice(await namesIn(lab))).toEqual([]);
    const retried = await runInTime([...args, "--retry-unknown"], { env });
    expect(retried.code).toBe(0);
    const added = rowLines(retried.stdout).map(({ line, outcome }) => `${line} ${outcome}`);
    expect(added.toSorted()).toEqual(left.map(({ line }) => `${line} added`));
  });

  it.each([
    ["its rows", [], "stdout"],
    ["what it prints", ["-v"], "both"],
    ["how it ends", ["-v"], "stderr"],
  ] as const)("exits at the second signal even if nobody reads %s", async (_what, more, unread) => {
    const lab = await startFaultyStore();
    // More than a pipe holds: of stdout with few rows, of stderr with as many as there are lines.
    const count = unread === "stderr" ? 1200 : 200;
    const words = ["add", "--from", wideFile(count), "-o", "ndjson", ...more];
    const child = startPets(words, { env: envFor(lab) });
    if (unread !== "stdout") child.stderr.pause();
    else child.stderr.resume();
    if (unread !== "stderr") child.stdout.pause();
    else child.stdout.resume();
    await untilStill(lab);
    child.kill("SIGTERM");
    await delay(300);
    expect(child.exitCode).toBeNull();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  });

  it("ends at once while no connection is made yet, and nothing may have been added", async () => {
    // It never completes the handshake.
    const silent = net.createServer();
    const port = await listen(silent);
    onTestFinished(() => void silent.close());
    const child = startPets(["add", "--from", petsFile(3), "--json", "--timeout", "100s"], {
      env: envFor({ baseUrl: `https://127.0.0.1:${port}/v1` }),
    });
    child.stdin.end();
    const end = finished(child);
    const [socket] = await once(silent, "connection");
    const start = performance.now();
    child.kill("SIGINT");
    const run = await end;
    socket.destroy();
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(run).toMatchObject({ signal: "SIGINT", stdout: "" });
    expect(run.stderr).toContain("3 not sent");
  });

  it("continues under nohup when its terminal is gone", async () => {
    const lab = await startFaultyStore({ latency: "20" });
    const words = [process.execPath, script, "add", "--from", petsFile(rows), "-o", "ndjson"];
    const child = spawn("nohup", words, { env: envFor(lab), stdio: ["pipe", "pipe", "pipe"] });
    const ended = finished(child);
    await once(child.stdout, "data");
    child.kill("SIGHUP");
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(await namesIn(lab)).toHaveLength(rows);
  });
});

describe.runIf(ptyAvailable)("a run on a terminal", () => {
  it("lets requests in flight finish when the terminal is closed", async () => {
    const lab = await startFaultyStore({ latency: "60" });
    const add = [script, "add", "--from", petsFile(rows), "-o", "ndjson"];
    const how = { env: envFor(lab), stdoutToFile: true };
    const pty = await startOnPty([process.execPath, ...add], how);
    await pty.waitFor(/\d+\/300/);
    pty.kill("SIGHUP");
    const { code, stdout } = await pty.ended;
    expect(code).toBe(129);
    const told = rowLines(stdout).map(({ line }) => nameOf(line));
    expect(told.toSorted()).toEqual((await namesIn(lab)).toSorted());
  });
});

/** Returns a file of animals with long names. */
function wideFile(count: number): string {
  const file = path.join(temporaryFolder(), "wide.ndjson");
  writeFileSync(file, `{"name":"${"x".repeat(4000)}","categoryId":1}\n`.repeat(count));
  return file;
}

/** Resolves when the store has animals, and gets no more for 3 s: the pipe that the run writes to is full. */
async function untilStill({ storage }: TestStore): Promise<void> {
  for (let [before, still] = [0, 0]; still < 30;) {
    await delay(100);
    const now = (await storage.countByStatus()).get(undefined) ?? 0;
    still = now === before && now > 0 ? still + 1 : 0;
    before = now;
  }
}

/** Returns the text of a stream up to `words`. Its encoding is set. */
function untilSaid(stream: Readable, words: string): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    stream.on("data", (text: string) => {
      said += text;
      if (said.includes(words)) resolve(said);
    });
  });
}

/** Resolves when the record below `home` has this many sends. */
async function untilBegun(home: string, count: number): Promise<void> {
  const query = "SELECT count(*) AS n FROM rows WHERE state <> 'unsent'";
  const begun = (): number => Number(readRecord(home, query)[0]?.n ?? 0);
  while (begun() < count) await delay(100);
}
