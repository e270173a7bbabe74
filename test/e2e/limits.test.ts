import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fakeClock, widestLine } from "../support/command/terminal.ts";
import { runHere, runInTime } from "../support/command/world.ts";
import { cleanEnv, envFor, temporaryFolder, testKey } from "../support/program/program.ts";
import { startTestStore, type TestStore } from "../support/servers/store.ts";
import { type Answer, errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const fields = "limit,remaining,resetAt,waitUntil,waitReason,seenAt,limiter";
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

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

/** Returns how many seconds from now the time `text` is. */
const secondsTo = (text: string): number => (Date.parse(text) - Date.now()) / 1000;

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

describe("pets limits", () => {
  it.each([
    ["table", ""],
    ["json", "{}\n"],
    ["csv", `${fields}\r\n`],
  ])("knows no limits at first, as %s", async (format, stdout) => {
    const stranger = await startStranger(reply(200, "[]"));
    const env = envFor(stranger);
    const run = await runInTime(["limits", "-o", format], { env });
    expect(run).toMatchObject({ code: 0, stdout });
    expect(run.stderr).toBe(
      format === "table"
        ? "No limits known yet. Run `pets limits --refresh` to ask the service.\n"
        : "",
    );
    expect(await runInTime(["limits", "-q"], { env })).toMatchObject({ stdout: "", stderr: "" });
    expect(stranger.requests).toEqual([]);
  });

  it("shows what another process saw, and sends nothing", async () => {
    const store = await startSmallStore();
    const env = envFor(store);
    await list(env);
    for (const told of [await limitsOf(env), await limitsOf(env)]) {
      expect(told).toEqual({
        limit: 3,
        remaining: 2,
        resetAt: expect.stringMatching(iso),
        seenAt: expect.stringMatching(iso),
      });
      expectBetween(secondsTo(told.resetAt), 20, 57);
      expectBetween(secondsTo(told.seenAt), -30, 0.1);
    }
    await list(env);
    expect(await limitsOf(env)).toMatchObject({ limit: 3, remaining: 1 });
  });

  it("shows the same in each format", async () => {
    const env = envFor(await startSmallStore());
    await list(env);
    const as = async (format: string, ...args: string[]): Promise<string> =>
      (await runInTime(["limits", "-o", format, ...args], { env })).stdout;
    expect(JSON.parse(await as("ndjson"))).toMatchObject({ limit: 3, remaining: 2 });
    expect(await as("csv")).toMatch(/^limit,[^\r]*\r\n3,2,2\S+Z,,,2\S+Z,\r\n$/);
    expect(await as("tsv")).toMatch(/^limit\t[^\n]*\n3\t2\t2\S+Z\t\t\t2\S+Z\t\n$/);
    expect(await as("table")).toMatch(
      /^2 of 3 requests left; resets at \d\d:\d\d(?::\d\d)? \(in \d+ s\)\.\n$/,
    );
    expect(await as("table", "--fields", "limit,waitUntil")).toMatch(/^LIMIT +WAITUNTIL\n3\n$/);
    expect(await as("table", "--fields", "remaining,limit")).toMatch(/^REMAINING +LIMIT\n2 +3\n$/);
    expect(await as("json", "--fields", "remaining,waitReason")).toBe('{"remaining":2}\n');
  });

  it("shows that the limit is used up, and until when", async () => {
    const env = envFor(await startSmallStore());
    for (let i = 0; i < 3; i += 1) await list(env);
    const told = await limitsOf(env);
    expect(told).toMatchObject({ limit: 3, remaining: 0, waitReason: "used_up" });
    expect(told.waitUntil).toBe(told.resetAt);
    const { code, stderr } = await list(env, "--max-wait", "0");
    expect(code).toBe(5);
    const { retryAt } = JSON.parse(stderr).error;
    expectBetween(Math.abs(Date.parse(retryAt) - Date.parse(told.waitUntil)), 0, 100);
    const table = await runInTime(["limits"], { env });
    expect(table.stdout).toMatch(
      /^0 of 3 requests left; resets at (\S+ \(in \d+ s\))\.\nWaiting until \1: all requests of the limit are sent or in flight\.\n$/,
    );
  });

  it.each([
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("shows a wait after a %d", async (status, waitReason) => {
    const body = errorBody(status, "slow", "slow down");
    const stranger = await startStranger(reply(status, body, { "retry-after": "100" }));
    const env = envFor(stranger);
    const before = Date.now();
    await list(env, "--max-wait", "0");
    const after = Date.now();
    const told = await limitsOf(env);
    expect(told).toEqual({ waitUntil: expect.stringMatching(iso), waitReason });
    expectBetween(Date.parse(told.waitUntil), before + 100_000, after + 100_500);
    expect((await runInTime(["limits"], { env })).stdout).toMatch(
      new RegExp(`^Waiting until \\S+ \\(in 1 min \\d+ s\\): .*\\(${status}\\)\\.\\n$`),
    );
    expect(stranger.requests).toHaveLength(1);
  });

  it("keeps what was last seen after a reset, and says so to people", async () => {
    const headers = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0" };
    const told = { ...headers, "x-ratelimit-reset": "30" };
    const { baseUrl, requests } = await startStranger(reply(200, "[]", told));
    const clock = fakeClock(Date.now());
    const env = { HOME: temporaryFolder(), PETS_BASE_URL: baseUrl, PETS_API_KEY: testKey };
    await runHere(["list"], { env, clock });
    clock.advance(31_000);
    const { stdout } = await runHere(["limits", "--json"], { env, clock });
    const { resetAt, seenAt, ...counts } = JSON.parse(stdout);
    expect(counts).toEqual({ limit: 60, remaining: 0 });
    // A recorded time is never too early; it may be late by one tick of the uptime.
    expectBetween(Date.parse(resetAt) - clock.now(), -1000, -900);
    expect(Date.parse(resetAt) - Date.parse(seenAt)).toBe(30_000);
    const table = await runHere(["limits"], { env, clock, terminal: { columns: 40 } });
    expect(table.stdout).toMatch(
      /^The limit of 60 requests was reset\s+at\s+\d\d:\d\d(?::\d\d)?\.\n$/,
    );
    expect(table.stderr).toMatch(/^Run `pets limits --refresh` /);
    expect(widestLine(table.stdout)).toBeLessThanOrEqual(40);
    expect(requests).toHaveLength(1);
  });
});

describe("pets limits --refresh", () => {
  it("sends one request, and shows the reply", async () => {
    const headers = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59" };
    const stranger = await startStranger(reply(200, "[]", headers));
    const env = envFor(stranger);
    expect(await limitsOf(env, "--refresh")).toMatchObject({ limit: 60, remaining: 59 });
    expect(stranger.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/pets?limit=1",
    ]);
  });

  it("says so if the service sends no limits", async () => {
    const env = envFor(await startStranger(reply(200, "[]")));
    expect(await runInTime(["limits", "--refresh"], { env })).toEqual({
      code: 0,
      stdout: "",
      stderr: "The service sends no rate limits.\n",
    });
  });

  it("sends nothing during a wait that does not fit", async () => {
    const answer = reply(429, errorBody(429, "slow", "slow"), { "retry-after": "100" });
    const stranger = await startStranger(answer);
    const env = envFor(stranger);
    await list(env, "--max-wait", "0");
    const { waitUntil } = await limitsOf(env);
    const args = ["limits", "--refresh", "--max-wait", "0", "--json"];
    const { code, stdout, stderr } = await runInTime(args, { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: "rate_limited", retryable: true, attempts: 0 });
    expectBetween(Math.abs(Date.parse(error.retryAt) - Date.parse(waitUntil)), 0, 100);
    expect(stranger.requests).toHaveLength(1);
  });

  it("ends with the exit code of the request", async () => {
    const env = envFor(await startStranger(reply(401, errorBody(401, "unauthorized", "who?"))));
    expect(await runInTime(["limits", "--refresh"], { env })).toMatchObject({
      code: 4,
      stdout: "",
    });
    expect(await limitsOf(env)).toEqual({});
  });
});

const answer: Answer = (_request, response) => response.writeHead(500).end();

describe("pets limits without", () => {
  it.each([[[]], [["--refresh"]]])("a key, %j: exit 4", async (args) => {
    const { baseUrl, requests } = await startStranger(answer);
    const env = { ...cleanEnv(), PETS_BASE_URL: baseUrl };
    const run = await runInTime(["limits", "--json", ...args], { env });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(JSON.parse(run.stderr).error.code).toBe("no_api_key");
    expect(requests).toEqual([]);
  });

  it("a state folder: shows what its own request saw", async () => {
    const store = await startSmallStore();
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const env: Record<string, string> = { ...envFor(store), XDG_STATE_HOME: file };
    expect(await limitsOf(env)).toEqual({});
    expect(await limitsOf(env, "--refresh")).toMatchObject({ limit: 3, remaining: 2 });
    expect(await limitsOf(env)).toEqual({});
    const { stderr } = await runInTime(["limits", "-v", "--json"], { env });
    expect(stderr).toMatch(/^! rate limits are not shared with other pets processes: .+\n$/);
    expect(existsSync(path.join(env.HOME ?? "", ".local"))).toBe(false);
  });
});
