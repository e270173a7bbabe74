import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { startFakeRedis } from "../support/databases/fake-redis.ts";
import { cleanEnv, testKey } from "../support/program/program.ts";
import { startPaced } from "../support/servers/paced.ts";

const nobody = "redis://127.0.0.1:1";

/** A service, a machine that has a profile for it, and a function that logs in again. */
async function loggedIn(...flags: readonly string[]) {
  const service = await startPaced((arrival) => arrival.answer(200));
  const env = cleanEnv();
  const login = (...more: readonly string[]) =>
    runInTime(["login", "--base-url", service.baseUrl, ...more], { env, input: testKey });
  return { service, env, login, first: await login(...flags) };
}

/** Returns what `pets limits` says about the limiter. */
async function limiterOf(env: Record<string, string>): Promise<unknown> {
  const { stdout } = await runInTime(["limits", "--json"], { env });
  return JSON.parse(stdout).limiter;
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
    const required = ["--limiter", nobody, "--limiter-required"];
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
    for (const words of [
      ["profile", "list", "--json"],
      ["profile", "show"],
      ["status"],
      ["list", "-v"],
    ])
      shown.push(await runInTime(words, { env }));
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain(secret);
    const file = path.join(env.HOME ?? "", ".config/pets/config.json");
    expect(readFileSync(file, "utf8")).toContain(secret);
  });
});
