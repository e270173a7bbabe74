import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { redisAvailable, startRedis, tapRedis } from "../support/databases/redis.ts";
import { envFor, runPets, testKey } from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
import { type PacedService, startRefusing, startWilling } from "../support/servers/paced.ts";
import { tlsFiles } from "../support/servers/tls.ts";

const topic = path.resolve(import.meta.dirname, "../../src/help/topics/fleet.md");

/** Returns the environment of processes on their own machine. */
const machine = (service: PacedService, url: string, more: Record<string, string> = {}) =>
  envFor(service, { PETS_LIMITER: url, ...more });

const once = ["list", "--max-wait", "0"];

describe.skipIf(!redisAvailable)("machines that share a Redis server", () => {
  it("all know about a wait that the service asked one of them for", async () => {
    const { url } = await startRedis();
    const service = await startRefusing(60);
    expect(await runInTime(once, { env: machine(service, url) })).toMatchObject({ code: 5 });
    const other = machine(service, url);
    const run = await runInTime([...once], { env: other });
    expect(run.code).toBe(5);
    expect(run.stderr).toContain("nothing was sent");
    expect(service.arrivals).toHaveLength(1);
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
    const [, rule = ""] =
      /^(user pets on >PASSWORD [^`]*)$/m.exec(readFileSync(topic, "utf8")) ?? [];
    const words = rule.replace(">PASSWORD", ">s3cret").trim().split(/\s+/);
    const { url } = await startRedis(["--user", ...words.slice(1), "--user", "default", "off"]);
    const service = await startWilling();
    const own = url.replace("//", "//pets@");
    const env = machine(service, own, { PETS_LIMITER_PASSWORD: "s3cret" });
    expect(await runInTime(["list"], { env })).toMatchObject({ code: 0 });
    const { stdout } = await runInTime(["limits", "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ limiter: { url, inForce: true } });
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
  const nobody = "redis://:s3cret@127.0.0.1:1";

  it("stops no command, and is reported once", async () => {
    const service = await startWilling();
    const env = machine(service, nobody);
    const [first, second] = [
      await runInTime(["list"], { env }),
      await runInTime(["list"], { env }),
    ];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.stderr).toContain("The limiter at 127.0.0.1:1 cannot be used (connection refused");
    expect(second.stderr).not.toContain("limiter");
    const quiet = await runInTime(["list", "-q"], { env: machine(service, nobody) });
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await runInTime(["limits", "--json"], { env });
    expect(JSON.parse(stdout).limiter).toMatchObject({
      url: "redis://127.0.0.1:1",
      inForce: false,
    });
    expect(first.stderr + stdout).not.toContain("s3cret");
  });

  it.each([
    ["PETS_LIMITER", "redis://:s3cret@host/x"],
    ["PETS_LIMITER_REQUIRED", "yes"],
  ])("causes exit 2 with %s=%s", async (name, value) => {
    const service = await startWilling();
    const run = await runInTime(["list"], { env: envFor(service, { [name]: value }) });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`${name} must be`);
    expect(run.stderr).not.toContain("s3cret");
  });
});

/** Returns how a `pets list` ended with this limiter, and what `pets limits` says about it afterwards. */
async function listThrough(url: string, more: Record<string, string> = {}) {
  const service = await startWilling();
  const env = machine(service, url, more);
  const { code, stdout, stderr } = await runPets(["list", "-v"], { env });
  const limits = await runPets(["limits", "--json"], { env });
  const { limiter } = JSON.parse(limits.stdout);
  return { code, limiter, shown: stdout + stderr + limits.stdout + limits.stderr };
}

/** Starts a server that listens only with TLS. */
async function startTls() {
  const { cert, key } = tlsFiles();
  const port = await freePort();
  const words = ["--tls-port", `${port}`, "--tls-cert-file", cert, "--tls-key-file", key];
  await startRedis([...words, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"], 0);
  return { url: `rediss://127.0.0.1:${port}`, cert };
}

/** Returns the keys in a database of the server at `port`. */
function keysIn(port: number, database: number): string {
  const words = ["-p", `${port}`, "-n", `${database}`, "KEYS", "*"];
  return execFileSync("redis-cli", words, { encoding: "utf8" }).trim();
}

describe.skipIf(!redisAvailable)("a limiter through TLS", () => {
  it("is in force with a trusted certificate", async () => {
    const { url, cert } = await startTls();
    const run = await listThrough(url, { NODE_EXTRA_CA_CERTS: cert });
    expect(run).toMatchObject({ code: 0, limiter: { url, inForce: true } });
  });

  it("is not in force with an untrusted certificate", async () => {
    const { url } = await startTls();
    const { code, limiter } = await listThrough(url);
    expect({ code, limiter }).toMatchObject({ code: 0, limiter: { url, inForce: false } });
    expect(limiter.reason).toMatch(/self.signed certificate/);
  });
});

describe.skipIf(!redisAvailable)("a limiter with a password", () => {
  const password = "p@ss w/rd:1";
  const inUrl = encodeURIComponent(password);

  it.each([
    ["in the URL", `:${inUrl}@`, {}],
    ["of its own variable, which beats the URL's", ":old@", { PETS_LIMITER_PASSWORD: password }],
  ])("is in force with that %s", async (_name, who, more) => {
    const { url } = await startRedis(["--requirepass", password]);
    const run = await listThrough(url.replace("//", `//${who}`), more);
    expect(run).toMatchObject({ code: 0, limiter: { url, inForce: true } });
    expect(run.shown).not.toContain(password);
    expect(run.shown).not.toContain(inUrl);
  });

  it("is in force as soon as the password was mended, whoever asks first", async () => {
    const { url } = await startRedis(["--requirepass", password]);
    const env = machine(await startWilling(), url);
    const unpassed = await runInTime(["list"], { env });
    expect(unpassed.stderr).toContain("set PETS_LIMITER_PASSWORD");
    const mended = { ...env, PETS_LIMITER_PASSWORD: password };
    expect(await runInTime(["list"], { env: mended })).toMatchObject({
      stderr: expect.not.stringContaining("limiter"),
    });
    for (const words of [["status"], ["limits"]]) {
      const { stdout } = await runInTime([...words, "--json"], { env: mended });
      expect(JSON.parse(stdout).limiter).toEqual({ url, inForce: true });
    }
  });

  it("is tried again at once by status and limits, whose finding the others go by", async () => {
    const port = await freePort();
    const env = machine(await startWilling(), `redis://127.0.0.1:${port}`);
    const note = "cannot be used";
    expect((await runInTime(["list"], { env })).stderr).toContain(note);
    await startRedis([], port);
    // It is not tried again for 30 s.
    expect((await runInTime(["list"], { env })).stderr).not.toContain(note);
    const { stdout } = await runInTime(["limits", "--json"], { env });
    expect(JSON.parse(stdout).limiter.inForce).toBe(true);
    await runInTime(["list"], { env });
    expect(keysIn(port, 0)).toMatch(/^pets:/);
  });
});

describe.skipIf(!redisAvailable)("a limiter's data", () => {
  it("is in the database of the URL, under pets:", async () => {
    const { url, port } = await startRedis();
    const run = await listThrough(`${url}/3`);
    expect(run).toMatchObject({ code: 0, limiter: { url, inForce: true } });
    expect(keysIn(port, 0)).toBe("");
    expect(keysIn(port, 3)).toMatch(/^pets:[\da-f]{32}$/);
  });
});
