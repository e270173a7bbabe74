import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { treeOf } from "../rate-limiter/support/files.ts";
import { runInTime } from "../support/command/world.ts";
import { startFakeRedis } from "../support/databases/fake-redis.ts";
import {
  envFor,
  finished,
  runPets,
  script,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";
import { startFaultyStore, stateOf } from "../support/servers/faulty-store.ts";
import { nameOf, namesIn, petsFile, rowLines } from "../support/servers/imports.ts";
import { recordIn } from "../support/servers/record.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const add = (file: string, ...more: string[]) => ["add", "--from", file, "-o", "ndjson", ...more];

/** Returns the last line of standard error, parsed as a JSON error. */
const errorIn = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1) ?? "").error;

/** A stopped clock, ten seconds into a minute. */
const atTenPast = () => Date.UTC(2026, 10, 5, 12, 0, 10);

describe("pets add --from", () => {
  it("reads standard input, and recognises it when it is given again", async () => {
    const lab = await startFaultyStore();
    const env = envFor(lab);
    const input = readFileSync(petsFile(20));
    expect(await runInTime(add("-"), { env, input })).toMatchObject({ code: 0 });
    const again = await runInTime(add("-"), { env, input });
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("Nothing sent");
    expect(await namesIn(lab)).toHaveLength(20);
  });

  it("continues if nobody reads its output", async () => {
    const lab = await startFaultyStore({ latency: "5" });
    const child = startPets(add(petsFile(200)), { env: envFor(lab) });
    child.stderr.resume();
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(await namesIn(lab)).toHaveLength(200);
  });

  it("keeps its record private, and the key and names out of it", async () => {
    const lab = await startFaultyStore();
    const env = envFor(lab);
    await runInTime(add(petsFile(3)), { env });
    const record = recordIn(env.HOME);
    expect(statSync(path.dirname(record)).mode & 0o777).toBe(0o700);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(record, "latin1");
    expect(bytes).not.toContain(lab.apiKey);
    expect(bytes).not.toContain("Pet 1");
  });
});

describe("a dry run", () => {
  it("says how long it would take at the limits that an earlier command saw", async () => {
    const lab = await startFaultyStore({ plan: "free", clock: atTenPast });
    const env = envFor(lab);
    await runInTime(["list"], { env });
    const dryRun = add(petsFile(100), "--dry-run");
    const run = await runInTime(dryRun, { env });
    expect(run.stderr).toMatch(/59 of 60 requests left; resets at .* 100 animals take/);
    expect((await runInTime([...dryRun, "-q"], { env })).stderr).toBe("");
    expect(await namesIn(lab)).toEqual([]);
  });

  it("writes nothing to the state directory, and connects to no limiter", async () => {
    const lab = await startFaultyStore({ plan: "free", clock: atTenPast });
    const redis = await startFakeRedis(() => undefined);
    const state = path.join(temporaryFolder(), "state");
    const env = envFor(lab, { XDG_STATE_HOME: state, PETS_LIMITER: redis.url });
    const dryRun = add(petsFile(100), "--dry-run");
    const unknown = await runPets(dryRun, { env });
    expect(unknown).toMatchObject({ code: 0 });
    expect(unknown.stderr).toContain("the rate limits are not known yet");
    expect(existsSync(state)).toBe(false);
    await runPets(["list"], { env: { ...env, PETS_LIMITER: "off" } });
    const before = treeOf(state);
    const known = await runPets(dryRun, { env });
    expect(known.stderr).toMatch(/59 of 60 requests left; resets at .* 100 animals take/);
    expect(treeOf(state)).toEqual(before);
    expect(redis.connections()).toBe(0);
  });
});

describe("a run that does not add all", () => {
  it("stops with 5 if the wait does not fit, without a refused request", async () => {
    const lab = await startFaultyStore({ plan: "20/min,1000/day", clock: atTenPast });
    const run = await runInTime(add(petsFile(30), "--max-wait", "0"), { env: envFor(lab) });
    expect(run.code).toBe(5);
    // One of the 20 is left to other commands.
    expect(rowLines(run.stdout)).toHaveLength(19);
    expect(errorIn(run.stderr)).toMatchObject({ code: "rate_limited", retryable: true });
    expect(errorIn(run.stderr).retryAt).toBeDefined();
    expect((await stateOf(lab)).requests["429"]).toBeUndefined();
  });

  it("stops with 5 if all are refused, after no more requests than one row would send", async () => {
    const lab = await startFaultyStore({ fault: "429:1" });
    const run = await runInTime(add(petsFile(100), "--concurrency", "64"), { env: envFor(lab) });
    expect(run).toMatchObject({ code: 5, stdout: "" });
    // Five may be in flight while the limits are unknown; then a probe is sent, and one more.
    expect((await stateOf(lab)).requests["429"]).toBeLessThanOrEqual(7);
  });

  it("suggests a command that works even if the input no longer exists", async () => {
    const { baseUrl } = await startStranger(reply(403, errorBody(403, "no", "no")));
    const env = envFor({ baseUrl });
    const line = '"$0" "$1" add --from <(cat "$2")';
    const words = ["-c", line, process.execPath, script, petsFile(3)];
    const { code, stderr } = await finished(spawn("bash", words, { env }));
    expect(code).toBe(4);
    expect(stderr).toContain("rest: give the same input to pets add --from -\n");
  });

  it("stops with 1 if its file changes, after the requests in flight", async () => {
    const lab = await startFaultyStore({ latency: "20" });
    const file = petsFile(300);
    const child = startPets(add(file), { env: envFor(lab) });
    const ended = finished(child);
    await once(child.stdout, "data");
    writeFileSync(file, readFileSync(file, "utf8").replace(nameOf(299), nameOf(777)));
    const run = await ended;
    expect(run.code).toBe(1);
    expect(errorIn(run.stderr)).toMatchObject({
      message: expect.stringContaining("pets.ndjson"),
      retryable: false,
    });
    // Repeated, the command would add again what it added.
    expect(run.stderr).not.toContain("To send the rest");
    const told = rowLines(run.stdout).map(({ line }) => nameOf(line));
    expect(told.toSorted()).toEqual((await namesIn(lab)).toSorted());
    expect(told.length).toBeLessThan(300);
  });
});
