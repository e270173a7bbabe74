import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { redisAvailable, startRedis, tapRedis } from "../support/databases/redis.ts";
import { envFor, testKey } from "../support/program/program.ts";
import { type PacedService, startRefusing, startWilling } from "../support/servers/paced.ts";

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
