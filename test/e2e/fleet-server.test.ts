import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { redisAvailable, startRedis } from "../support/databases/redis.ts";
import { envFor, runPets } from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
import { startWilling } from "../support/servers/paced.ts";
import { tlsFiles } from "../support/servers/tls.ts";

/** Returns how a `pets list` ended with this limiter, and what `pets limits` says about it afterwards. */
async function listThrough(url: string, more: Record<string, string> = {}) {
  const service = await startWilling();
  const env = envFor(service, { PETS_LIMITER: url, ...more });
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
    const env = envFor(await startWilling(), { PETS_LIMITER: url });
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
    const env = envFor(await startWilling(), { PETS_LIMITER: `redis://127.0.0.1:${port}` });
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
