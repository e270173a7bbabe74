import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { startFakeRedis } from "../support/databases/fake-redis.ts";
import { redisAvailable, startRedis, tapRedis } from "../support/databases/redis.ts";
import { cleanEnv, envFor, runPets, testKey } from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type PacedService, startRefusing, startWilling } from "../support/servers/paced.ts";
import { tlsFiles } from "../support/servers/tls.ts";

type Env = Record<string, string>;

/** Returns the environment of processes on their own machine. */
const machine = (service: PacedService, url: string, more: Env = {}): Env =>
  envFor(service, { PETS_LIMITER: url, ...more });

/** Returns what `pets limits` or another command says about the limiter. */
async function limiterOf(env: Env, command = "limits"): Promise<unknown> {
  const { stdout } = await runInTime([command, "--json"], { env });
  return JSON.parse(stdout).limiter;
}

const once = ["list", "--max-wait", "0"];

describe.skipIf(!redisAvailable)("machines that share a Redis server", () => {
  it("all know about a wait that the service asked one of them for", async () => {
    const { url } = await startRedis();
    const service = await startRefusing(60);
    expect(await runInTime(once, { env: machine(service, url) })).toMatchObject({ code: 5 });
    const other = machine(service, url);
    const run = await runInTime(once, { env: other });
    expect(run).toMatchObject({ code: 5, stderr: expect.stringContaining("nothing was sent") });
    // It is in the other machine's own state too.
    const without = { ...other, PETS_LIMITER: "off" };
    expect(await runInTime(once, { env: without })).toMatchObject({ code: 5 });
    expect(service.arrivals).toHaveLength(1);
    const limits = await runInTime(["limits", "--json"], { env: other });
    expect(JSON.parse(limits.stdout)).toMatchObject({
      waitReason: "rate_limited",
      limiter: { url, inForce: true },
    });
  });

  it("send nothing of the key to it, and need two round trips", async () => {
    const { port } = await startRedis();
    const tap = await tapRedis(port);
    const service = await startWilling();
    const run = await runInTime(["list"], { env: machine(service, tap.url) });
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("limiter") });
    expect(tap.sent()).toContain("XADD");
    expect(tap.sent().split("MULTI")).toHaveLength(3);
    const secrets = [testKey.slice(0, 9), testKey.slice(-9)];
    for (const secret of [...secrets, Buffer.from(testKey).toString("base64").slice(0, 8)])
      expect(tap.sent() + tap.answered()).not.toContain(secret);
  });

  it("need no more rights than the help says", async () => {
    const topic = path.resolve(import.meta.dirname, "../../src/help/topics/fleet.md");
    const [, rule = ""] =
      /^(user pets on >PASSWORD [^`]*)$/m.exec(readFileSync(topic, "utf8")) ?? [];
    const words = rule.replace(">PASSWORD", ">s3cret").trim().split(/\s+/);
    const { url } = await startRedis(["--user", ...words.slice(1), "--user", "default", "off"]);
    const service = await startWilling();
    const own = url.replace("//", "//pets@");
    const env = machine(service, own, { PETS_LIMITER_PASSWORD: "s3cret" });
    expect(await runInTime(["list"], { env })).toMatchObject({ code: 0 });
    expect(await limiterOf(env)).toEqual({ url, inForce: true });
    const wrong = machine(service, own, { PETS_LIMITER_PASSWORD: "guess" });
    const run = await runInTime(["list"], { env: wrong });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^The limiter at 127\.0\.0\.1:\d+ cannot be used \(it rejected the user/,
    );
    expect(run.stdout + run.stderr).not.toMatch(/s3cret|guess/);
  });
});

describe("a limiter's server that can't be reached", () => {
  it("stops no command, and is reported once", async () => {
    const service = await startWilling();
    const nobody = "redis://:s3cret@127.0.0.1:1";
    const env = machine(service, nobody);
    const first = await runInTime(["list"], { env });
    const second = await runInTime(["list"], { env });
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.stderr).toContain("The limiter at 127.0.0.1:1 cannot be used (connection refused");
    expect(second.stderr).not.toContain("limiter");
    const quiet = await runInTime(["list", "-q"], { env: machine(service, nobody) });
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    const limiter = await limiterOf(env);
    expect(limiter).toMatchObject({ url: "redis://127.0.0.1:1", inForce: false });
    expect(first.stderr + JSON.stringify(limiter)).not.toContain("s3cret");
  });
});

describe.skipIf(!redisAvailable)("a limiter", () => {
  it("through TLS is in force with a certificate that is trusted", async () => {
    const { cert, key } = tlsFiles();
    const port = await freePort();
    const words = ["--tls-port", `${port}`, "--tls-cert-file", cert, "--tls-key-file", key];
    await startRedis([...words, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"], 0);
    const url = `rediss://127.0.0.1:${port}`;
    const service = await startWilling();
    const reason = expect.stringMatching(/self.signed certificate/);
    for (const [more, limiter] of [
      [{ NODE_EXTRA_CA_CERTS: cert }, { url, inForce: true }],
      [{}, { url, inForce: false, reason }],
    ] as const) {
      const env = machine(service, url, more);
      expect(await runPets(["list"], { env })).toMatchObject({ code: 0 });
      const { stdout } = await runPets(["limits", "--json"], { env });
      expect(JSON.parse(stdout).limiter).toEqual(limiter);
    }
  });

  it("is in force as soon as its variable corrects the password of the URL", async () => {
    const password = "p@ss w/rd:1";
    const { url } = await startRedis(["--requirepass", password]);
    const env = machine(await startWilling(), url.replace("//", "//:old@"));
    const refused = await runInTime(["list"], { env });
    expect(refused.stderr).toContain("check PETS_LIMITER_PASSWORD");
    const corrected = { ...env, PETS_LIMITER_PASSWORD: password };
    const run = await runInTime(["list", "-v"], { env: corrected });
    expect(run.stderr).not.toMatch(/limiter|p@ss/);
    for (const command of ["status", "limits"])
      expect(await limiterOf(corrected, command)).toEqual({ url, inForce: true });
  });

  it("is tried again at once by limits, whose finding the others go by", async () => {
    const port = await freePort();
    const env = machine(await startWilling(), `redis://127.0.0.1:${port}/3`);
    const note = "cannot be used";
    expect((await runInTime(["list"], { env })).stderr).toContain(note);
    await startRedis([], port);
    // It is not tried again for 30 s.
    expect((await runInTime(["list"], { env })).stderr).not.toContain(note);
    expect(await limiterOf(env)).toMatchObject({ inForce: true });
    await runInTime(["list"], { env });
    const keys = execFileSync("redis-cli", ["-p", `${port}`, "-n", "3", "KEYS", "*"]);
    expect(keys.toString()).toMatch(/^pets:[\da-f]{32}\n$/);
  });
});

/** A service, a machine that has a profile for it, and a function that logs in again. */
async function loggedIn(...flags: readonly string[]) {
  const service = await startWilling();
  const env = cleanEnv();
  const login = (...more: readonly string[]) =>
    runInTime(["login", "--base-url", service.baseUrl, ...more], { env, input: testKey });
  return { service, env, login, first: await login(...flags) };
}

describe("the limiter of a profile", () => {
  it("is used from the login's own request on, kept at the next login, and removed by off", async () => {
    const server = await startFakeRedis(() => undefined);
    const { env, login, first } = await loggedIn("--limiter", server.url);
    expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining("limiter") });
    expect(server.connections()).toBe(1);
    expect(await limiterOf(env)).toEqual({ url: server.url, inForce: true });
    expect(await login()).toMatchObject({ code: 0 });
    expect(await limiterOf(env)).toEqual({ url: server.url, inForce: true });
    expect(await login("--limiter", "off")).toMatchObject({ code: 0 });
    expect(await limiterOf(env)).toBeUndefined();
  });

  it("stops a login and every command if it is required and can't be reached", async () => {
    const required = ["--limiter", "redis://127.0.0.1:1", "--limiter-required"];
    const { service, env, login, first } = await loggedIn(...required);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain("the limiter at 127.0.0.1:1 is required and cannot be used");
    expect(await login(...required, "--no-verify")).toMatchObject({ code: 0 });
    for (const words of [["list"], ["add", "--name", "Rex", "--category", "1"], ["status"]])
      expect(await runInTime(words, { env })).toMatchObject({ code: 1 });
    expect(service.arrivals).toEqual([]);
  });

  it("causes a warning about a password in the flag, which is never shown", async () => {
    const secret = "s3cret-of-the-server";
    const { env, first } = await loggedIn("--limiter", `redis://:${secret}@127.0.0.1:1`);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(
      /^warning: the process list and the shell history show a password/m,
    );
    const shown = [first];
    for (const words of ["profile list --json", "profile show", "status", "list -v"])
      shown.push(await runInTime(words.split(" "), { env }));
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain(secret);
    const file = path.join(env.HOME ?? "", ".config/pets/config.json");
    expect(readFileSync(file, "utf8")).toContain(secret);
  });
});
