import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { startFakeRedis } from "../support/databases/fake-redis.ts";
import { redisAvailable, startRedis } from "../support/databases/redis.ts";
import { followPets } from "../support/program/followed.ts";
import { cleanEnv, envFor, runPets, temporaryFolder, testKey } from "../support/program/program.ts";
import {
  type PacedService,
  startPaced,
  startRefusing,
  startWilling,
} from "../support/servers/paced.ts";
import { startTestStore } from "../support/servers/store.ts";

/** Returns how many ms after the reply to the first request each of the others arrived. */
function msAfterFirst({ arrivals }: PacedService): readonly number[] {
  const start = arrivals[0]?.answeredAt ?? Number.NaN;
  return arrivals.slice(1).map(({ at }) => at - start);
}

const preload = path.join(import.meta.dirname, "../support/program/clock-jump.mjs");

/** Returns the environment of a machine whose clock has jumped by `ms`. */
const jumped = (env: Record<string, string>, ms: number): Record<string, string> => ({
  ...env,
  NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
  PETS_TEST_JUMP: `${ms}`,
});

const waits = /^waiting [^\n]*\n/m;

it("processes share the requests that are left, and send the rest after the reset", async () => {
  const store = await startTestStore({ plan: "6/3s,1000/day" });
  const env = envFor(store);
  const runs = Array.from({ length: 9 }, () => runPets(["list"], { env }));
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(runs.map(() => 0));
  expect(store.verdict("start").requests).toEqual({ 200: 9 });
});

describe("once one process must wait", () => {
  it("none sends before the end, even if the clock jumps, and all succeed", async () => {
    const service = await startRefusing(2);
    const env = envFor(service);
    const first = followPets(["list", "-v"], { env: jumped(env, 3_600_000) });
    await first.saw(waits);
    const commands = [
      ["list"],
      ["list", "--status", "sold"],
      ["add", "--name", "Rex", "--category", "1"],
      ["get", "1"],
      ["limits", "--refresh"],
      ["add", "--name", "Mia", "--category", "2"],
    ];
    const others = commands.map((args, n) =>
      runPets(args, { env: jumped(env, [60_000, -60_000, 0][n % 3] ?? 0) }),
    );
    const login = runPets(["login"], { env: { ...env, PETS_API_KEY: "" }, input: testKey });
    const runs = await Promise.all([first.end, ...others, login]);
    expect(runs.map(({ code, stderr }) => ({ code, stderr: code === 0 ? "" : stderr }))).toEqual(
      runs.map(() => ({ code: 0, stderr: "" })),
    );
    expect(service.arrivals).toHaveLength(1 + runs.length);
    expect(Math.min(...msAfterFirst(service))).toBeGreaterThanOrEqual(2000);
  });

  it("one sends first when the wait is over, and soon another one if it is killed", async () => {
    const service = await startPaced((arrival, n) => {
      if (n === 0) arrival.answer(429, { "retry-after": "1" });
      else if (n > 1) arrival.answer(200);
    });
    const env = envFor(service);
    const first = followPets(["list", "-v", "--limit", "1"], { env });
    await first.saw(waits);
    const others = [2, 3, 4].map((limit) =>
      followPets(["list", "-v", "--limit", `${limit}`], { env }),
    );
    const all = [first, ...others];
    await service.came(2);
    const number = Number(/limit=(\d)/.exec(service.arrivals[1]?.url ?? "")?.[1]);
    const left = all.filter((_, n) => n + 1 !== number);
    await Promise.all(left.map((one) => one.saw(/a probe request/)));
    expect(service.arrivals).toHaveLength(2);
    const killedAt = performance.now();
    all[number - 1]?.child.kill("SIGKILL");
    await service.came(3);
    // Its lease would have delayed them for 45 s.
    expect(performance.now() - killedAt).toBeLessThan(40_000);
    const runs = await Promise.all(left.map(({ end }) => end));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(service.arrivals).toHaveLength(5);
  });
});

describe("--max-wait 0 during a wait", () => {
  it("ends any command with exit 5 at once, and nothing is sent", async () => {
    const service = await startRefusing(100);
    const env = envFor(service);
    const before = Date.now();
    expect(await runInTime(["list", "--max-wait", "0"], { env })).toMatchObject({ code: 5 });
    const refusedBy = Date.now();
    for (const args of [["list"], ["get", "1", "-q"], ["limits", "--refresh"]]) {
      const run = await runInTime([...args, "--max-wait", "0"], { env });
      expect(run).toMatchObject({ code: 5, stdout: "" });
    }
    const args = ["add", "--name", "Rex", "--category", "1"];
    const text = await runInTime([...args, "--max-wait", "0"], { env });
    expect(text).toMatchObject({ code: 5, stdout: "" });
    expect(text.stderr).toMatch(
      /^pets: adding Rex \(category 1\): the service responded with 429 Too Many Requests to an earlier request; nothing was sent\nTry again at \d\d:\d\d(?::\d\d)?, or allow a longer wait with `--max-wait`\.\nMore requests before then may get the key banned\.\n$/,
    );
    const json = await runInTime([...args, "--json", "--max-wait", "0"], { env });
    const { error } = JSON.parse(json.stderr.trim().split("\n").at(-1) ?? "");
    expect(error).toMatchObject({ code: "rate_limited", exitCode: 5, retryable: true });
    expect(Date.parse(error.retryAt)).toBeGreaterThanOrEqual(before + 100_000);
    expect(Date.parse(error.retryAt)).toBeLessThanOrEqual(refusedBy + 100_100);
    expect(error.attempts ?? 0).toBe(0);
    expect(service.arrivals).toHaveLength(1);
  });
});

/** Starts a service that replies once with 503, and then like this. */
const startAway = (...then: readonly number[]) =>
  startPaced((arrival, n) => {
    const status = n === 0 ? 503 : (then[n - 1] ?? 200);
    arrival.answer(status, status === 200 ? {} : { "retry-after": "3600" });
  });

describe("while a 503 asks to wait", () => {
  const listNow = ["list", "--max-wait", "0"];
  it.each([
    ["status", ["status"]],
    ["limits --refresh", ["limits", "--refresh"]],
  ])("`pets %s` asks whether the service is back, for all", async (_name, asking) => {
    const service = await startAway();
    const env = envFor(service);
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    expect(await runInTime(["limits"], { env })).toMatchObject({ code: 0 });
    expect(service.arrivals).toHaveLength(1);
    expect(await runInTime(asking, { env })).toMatchObject({ code: 0 });
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 0 });
    expect(service.arrivals).toHaveLength(3);
  });

  it.each([
    ["on this machine", async () => ({})],
    ["on all machines", async () => ({ PETS_LIMITER: (await startRedis()).url })],
  ])("a success ends it for those who wait, too: %s", async (where, more) => {
    if (where === "on all machines" && !redisAvailable) return;
    const service = await startAway();
    const env = envFor(service, await more());
    const met = followPets(["list", "--max-wait", "2h"], { env });
    await met.saw(/^waiting /m);
    const other = { ...env, ...(where === "on all machines" && { HOME: temporaryFolder() }) };
    const held = followPets(["list", "--max-wait", "2h"], { env: other });
    await held.saw(/^waiting /m);
    expect(await runInTime(["status"], { env })).toMatchObject({ code: 0 });
    for (const each of [met, held]) expect(await each.end).toMatchObject({ code: 0 });
    expect(service.arrivals).toHaveLength(4);
  });

  it("a 429 that it gets holds up all, and itself", async () => {
    const service = await startAway(503, 429);
    const env = envFor(service);
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    const codes = [];
    for (let turn = 0; turn < 3; turn += 1) codes.push((await runInTime(["status"], { env })).code);
    expect(service.arrivals).toHaveLength(3);
    expect(codes).toEqual([7, 5, 5]);
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    expect(service.arrivals).toHaveLength(3);
  });
});

/** Returns a login with a command that prints the key. */
const login = (service: PacedService, command: string) =>
  ["login", "--base-url", service.baseUrl, "--key-command", command] as const;

/** Returns a command that prints another key each time. */
const changing = ({ HOME }: Record<string, string>): string =>
  `echo x >> ${HOME}/runs; echo "key-number-$(wc -l < ${HOME}/runs | tr -d ' ')-of-many"`;

describe("the key of a key command", () => {
  const listNow = ["list", "--max-wait", "0"];

  it("that is another each time is held up by the wait of an earlier one", async () => {
    const service = await startRefusing(100);
    const env = cleanEnv();
    await runInTime([...login(service, changing(env)), "--no-verify"], { env });
    for (let turn = 0; turn < 4; turn += 1)
      expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    expect(readFileSync(path.join(env.HOME ?? "", "runs"), "utf8")).toBe("x\n".repeat(4));
    expect(service.arrivals.map(({ key }) => key)).toEqual(["key-number-1-of-many"]);
    const state = path.join(env.HOME ?? "", ".local/state/pets/limiter");
    for (const name of readdirSync(state))
      expect(readFileSync(path.join(state, name), "latin1")).not.toContain("of-many");
  });

  it("is held up by what the login was told", async () => {
    const service = await startRefusing(100);
    const env = cleanEnv();
    for (let turn = 0; turn < 3; turn += 1)
      expect(
        await runInTime([...login(service, changing(env)), "--max-wait", "0"], { env }),
      ).toMatchObject({ code: 5 });
    expect(service.arrivals).toHaveLength(1);
  });

  it("that is always the same shares the limiter with the same key from elsewhere", async () => {
    const service = await startPaced((arrival, n) =>
      arrival.answer(n === 2 ? 429 : 200, { "retry-after": "100" }),
    );
    const env = cleanEnv();
    await runInTime(login(service, `echo ${testKey}`), { env });
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 0 });
    const own = { ...env, PETS_API_KEY: testKey, PETS_BASE_URL: service.baseUrl };
    expect(await runInTime(listNow, { env: own })).toMatchObject({ code: 5 });
    expect(await runInTime(listNow, { env })).toMatchObject({ code: 5 });
    expect(service.arrivals).toHaveLength(3);
  });

  it("has one log on a shared server, whichever it is", async () => {
    const service = await startWilling();
    const redis = await startFakeRedis(() => undefined);
    const env = { ...cleanEnv(), PETS_LIMITER: redis.url };
    await runInTime([...login(service, changing(env)), "--no-verify"], { env });
    const logs: (string | undefined)[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const before = redis.commands.length;
      await runInTime(["list", "-q"], { env });
      const added = redis.commands.slice(before).find((line) => line.startsWith("XADD"));
      logs.push(added?.split(" ")[1]);
    }
    expect(logs[1]).toMatch(/^pets:[\da-f]{32}$/);
    expect(logs[2]).toBe(logs[1]);
  });
});

describe("a wait for the rate limiter", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("is ended by %s at once, with %d, also as JSON", async (signal, code) => {
    const service = await startRefusing(60);
    const env = envFor(service);
    await runInTime(["list", "--max-wait", "0"], { env });
    const text = followPets(["add", "--name", "Rex", "--category", "1"], { env });
    const json = followPets(["list", "--json"], { env });
    await Promise.all([text.saw(waits), json.saw(waits)]);
    const start = performance.now();
    text.child.kill(signal);
    json.child.kill(signal);
    const [textRun, jsonRun] = [await text.end, await json.end];
    expect(performance.now() - start).toBeLessThan(50_000);
    expect(textRun).toMatchObject({ code, stdout: "" });
    expect(textRun.stderr).toMatch(
      /\npets: adding Rex \(category 1\): (interrupted|terminated); nothing was sent\n$/,
    );
    expect(jsonRun).toMatchObject({ code, stdout: "" });
    const { error } = JSON.parse(jsonRun.stderr.trim().split("\n").at(-1) ?? "");
    expect(error).toMatchObject({ code: "interrupted", exitCode: code, retryable: true });
    expect(service.arrivals).toHaveLength(1);
  });
});
