import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../support/command/terminal.ts";
import { runHere, runInTime } from "../support/command/world.ts";
import { cleanEnv, envFor, temporaryFolder } from "../support/program/program.ts";
import { startTestStore, type TestStore } from "../support/servers/store.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

/** Starts a service that announces its limits; returns the environment of one of its users. */
async function start(remaining: string | undefined = "42") {
  const headers = { "x-ratelimit-limit": "60", "x-ratelimit-reset": "30" };
  const announced = remaining && { ...headers, "x-ratelimit-remaining": remaining };
  const stranger = await startStranger(reply(200, "[]", announced || {}));
  return { stranger, env: envFor(stranger) };
}

/** Starts a store of 3 requests a minute whose minute lasts another 55 s. */
function startSmallStore(): Promise<TestStore> {
  const ahead = Date.UTC(2026, 10, 5, 12, 0, 5) - Date.now();
  return startTestStore({ plan: "3/min,1000/day", seed: 2, clock: () => Date.now() + ahead });
}

/** Returns what `pets limits --json` with `args` prints. */
async function limitsOf(env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await runInTime(["limits", "--json", ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

const list = (env: Record<string, string>, ...args: string[]) =>
  runInTime(["list", "--json", ...args], { env });

describe("pets limits", () => {
  it.each([
    [[], "No limits known yet. Run `pets limits --refresh` to ask the service.\n", ""],
    [["--json"], "", "{}\n"],
    [["-o", "ndjson"], "", ""],
  ])("sends nothing with %j before any request, and says so", async (options, stderr, stdout) => {
    const { stranger, env } = await start();
    expect(await runHere(["limits", ...options], { env })).toEqual({ code: 0, stdout, stderr });
    expect(stranger.requests).toEqual([]);
  });

  it("notes with --refresh that a reply has no limits", async () => {
    const { env } = await start("");
    const { stdout, stderr } = await runHere(["limits", "--refresh"], { env });
    expect([stdout, stderr]).toEqual(["", "The service sends no rate limits.\n"]);
  });

  it("sends one request with --refresh, and notes when the limit was reset since", async () => {
    const { stranger, env } = await start();
    const clock = fakeClock();
    const { code, stdout } = await runHere(["limits", "--refresh", "--json"], { env, clock });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { limit: 60, remaining: 42 }]);
    expect(stranger.requests).toHaveLength(1);
    await clock.sleep(60_000, new AbortController().signal);
    const { stderr } = await runHere(["limits"], { env, clock });
    expect(stderr).toMatch(/^Run `pets limits --refresh`/);
  });

  it("shows the same in each format", async () => {
    const env = envFor(await startSmallStore());
    await list(env);
    const as = async (format: string, ...args: string[]): Promise<string> =>
      (await runInTime(["limits", "-o", format, ...args], { env })).stdout;
    expect(JSON.parse(await as("ndjson"))).toMatchObject({ limit: 3, remaining: 2 });
    expect(await as("csv")).toMatch(/^limit,[^\r]*\r\n3,2,2\S+Z,,,2\S+Z,,,\r\n$/);
    expect(await as("table")).toMatch(
      /^2 of 3 requests left; resets at \d\d:\d\d(?::\d\d)? \(in \d+ s\)\.\n$/,
    );
    expect(await as("table", "--fields", "limit,waitUntil")).toMatch(/^LIMIT +WAITUNTIL\n3\n$/);
    expect(await as("json", "--fields", "remaining,waitReason")).toBe('{"remaining":2}\n');
  });

  it("shows that the limit is used up, and until when", async () => {
    const env = envFor(await startSmallStore());
    for (let i = 0; i < 3; i += 1) await list(env);
    const told = await limitsOf(env);
    expect(told).toMatchObject({ limit: 3, remaining: 0, waitReason: "used_up" });
    // The same time in each report of a window.
    expect(told.resetAt).toMatch(/:\d\d\.000Z$/);
    expect((await limitsOf(env)).resetAt).toBe(told.resetAt);
    expect(told.waitUntil.slice(0, 19)).toBe(told.resetAt.slice(0, 19));
    const { code, stderr } = await list(env, "--max-wait", "0");
    expect(code).toBe(5);
    const { retryAt } = JSON.parse(stderr).error;
    expect(Math.abs(Date.parse(retryAt) - Date.parse(told.waitUntil))).toBeLessThanOrEqual(100);
    const table = await runInTime(["limits"], { env });
    expect(table.stdout).toMatch(
      /^0 of 3 requests left; resets at (\S+ \(in \d+ s\))\.\nWaiting until \1: all requests of the limit are used or in flight\.\n$/,
    );
  });

  it.each([
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("shows a wait after a %d", async (status, waitReason) => {
    const body = errorBody(status, "slow", "slow down");
    const stranger = await startStranger(reply(status, body, { "retry-after": "100" }));
    const env = envFor(stranger);
    const clock = fakeClock();
    await runHere(["list", "--max-wait", "0"], { env, clock });
    const { stdout } = await runHere(["limits", "--json"], { env, clock });
    const told = JSON.parse(stdout);
    expect(told).toEqual({ waitUntil: expect.stringMatching(/Z$/), waitReason });
    const ms = Date.parse(told.waitUntil) - clock.now();
    expect(ms).toBeGreaterThanOrEqual(100_000);
    expect(ms).toBeLessThanOrEqual(100_500);
    expect((await runHere(["limits"], { env, clock })).stdout).toMatch(
      new RegExp(`^Waiting until \\S+ \\(in 1 min 4[01] s\\): .*\\(${status}\\)\\.\\n$`),
    );
    expect(stranger.requests).toHaveLength(1);
  });

  it("ends with --refresh with the exit code of the request", async () => {
    const env = envFor(await startStranger(reply(401, errorBody(401, "unauthorized", "who?"))));
    const run = await runInTime(["limits", "--refresh"], { env });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(await limitsOf(env)).toEqual({});
  });

  it.each([[[]], [["--refresh"]]])("ends without a key with %j with exit 4", async (args) => {
    const { baseUrl, requests } = await startStranger(reply(500, ""));
    const env = { ...cleanEnv(), PETS_BASE_URL: baseUrl };
    const run = await runInTime(["limits", "--json", ...args], { env });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(JSON.parse(run.stderr).error.code).toBe("no_api_key");
    expect(requests).toEqual([]);
  });

  it("keeps them in the folder for temporary files if the state folder cannot be used", async () => {
    const store = await startSmallStore();
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const env: Record<string, string> = { ...envFor(store), XDG_STATE_HOME: file };
    const limiterDirectory = path.join(tmpdir(), `pets-${process.getuid?.()}`, "limiter");
    expect(await limitsOf(env)).toEqual({ limiterDirectory });
    expect(await limitsOf(env, "--refresh")).toMatchObject({ limit: 3, remaining: 2 });
    expect(await limitsOf(env)).toMatchObject({ limit: 3, remaining: 2, limiterDirectory });
    const { stdout, stderr } = await runInTime(["limits", "-v"], { env });
    expect(stdout).toContain(`Kept in ${limiterDirectory}.\n`);
    expect(stderr).toMatch(/^! rate limits are kept in .+\/limiter: not a directory\n/);
    expect(existsSync(path.join(env.HOME ?? "", ".local"))).toBe(false);
  });
});
