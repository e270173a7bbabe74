import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { bulk, type FakeReply, startFakeRedis } from "../support/databases/fake-redis.ts";
import { redisAvailable, startRedis } from "../support/databases/redis.ts";
import { envFor, finished, startPets, temporaryFolder } from "../support/program/program.ts";
import { startPaced, startWilling } from "../support/servers/paced.ts";

const once = ["list", "--max-wait", "0"];

/** Returns the record of a permit, as it is in the stream. */
const permit = (place: number): readonly unknown[] => ["reserve", "", 0, 0, `x${place}`, 0, 1e9];

/** Returns the text of an entry with this many permits. */
const entryOf = (permits: number): string =>
  JSON.stringify(["begin", ...Array.from({ length: permits }, (_none, place) => permit(place))]);

/** Returns an entry as the protocol has it. */
const entry = (id: string, text: string): string =>
  `*2\r\n${bulk(id)}*2\r\n${bulk("r")}${bulk(text)}`;

/** Starts a Redis server, and runs a list through it; returns how to write to the stream that this has made. */
async function startShared() {
  const { url, port } = await startRedis();
  const service = await startWilling();
  const env = envFor(service, { PETS_LIMITER: url });
  const cli = (words: readonly string[], input?: string): string =>
    execFileSync("redis-cli", ["-p", `${port}`, ...words], { encoding: "utf8", input }).trim();
  expect(await runInTime(once, { env })).toMatchObject({ code: 0 });
  const key = cli(["KEYS", "pets:*"]);
  return { url, service, env, cli, key };
}

describe.skipIf(!redisAvailable)("who may write to the server of a fleet", () => {
  it("can't hold a command up with an entry of 60,000 permits, which is removed", async () => {
    const { service, env, cli, key } = await startShared();
    cli(["-x", "XADD", key, "*", "r"], entryOf(60_000));
    // What this machine knows from its own file would let it send.
    const run = await runInTime(once, {
      env: envFor(service, { PETS_LIMITER: env.PETS_LIMITER ?? "" }),
    });
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("cannot be used") });
    expect(Number(cli(["XLEN", key]))).toBeLessThan(10);
  });

  it("can hold it up with many permits until they expire, but not make it slow", async () => {
    const { service, env, cli, key } = await startShared();
    for (let turn = 0; turn < 40; turn += 1) cli(["-x", "XADD", key, "*", "r"], entryOf(100));
    const run = await runInTime(once, { env });
    expect([0, 5]).toContain(run.code);
    expect(run.stderr).not.toContain("cannot be used");
    expect(service.arrivals.length).toBeLessThanOrEqual(2);
  });

  it("can't have a key banned by emptying the stream before each start", async () => {
    const { url, cli, key } = await startShared();
    const service = await startPaced((arrival) => arrival.answer(429, { "retry-after": "60" }));
    const file = path.join(temporaryFolder(), "pets.csv");
    writeFileSync(file, `name,categoryId\n${"Rex,1\n".repeat(50)}`);
    for (let start = 0; start < 2; start += 1) {
      cli(["XTRIM", key, "MAXLEN", "0"]);
      const before = service.arrivals.length;
      // A fresh machine.
      const env = envFor(service, { PETS_LIMITER: url });
      const words = ["add", "--from", file, "--concurrency", "8", "--max-wait", "0"];
      const { code } = await runInTime(words, { env });
      expect({ code, sent: service.arrivals.length - before }).toEqual({ code: 5, sent: 1 });
      for (const stream of cli(["KEYS", "pets:*"]).split("\n"))
        cli(["XTRIM", stream, "MAXLEN", "0"]);
    }
  });

  it("can't stop it with an entry from the far future", async () => {
    const { env, cli, key } = await startShared();
    const block = JSON.stringify(["begin", ["block", "", 0, 0, 429, 8.64e7, 1]]);
    cli(["XADD", key, "999999999999999-0", "r", block]);
    const run = await runInTime(once, { env });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("from the future") });
  });
});

describe("a server that lies", () => {
  const [none, time] = ["*0\r\n", `*2\r\n${bulk("1795348710")}${bulk("191000")}`];
  /** Replies to each transaction with these entries. */
  const exec = (entries: string) => {
    let adds = false;
    return ([name]: readonly string[]): FakeReply => {
      if (name === "MULTI") adds = false;
      if (name === "XADD") adds = true;
      if (name !== "EXEC") return undefined;
      const added = adds ? `${bulk("1795348710191-9")}:1\r\n` : "";
      return `*${adds ? 5 : 3}\r\n${added}${entries}${none}${time}`;
    };
  };
  const pageOf = (count: number, text: string): string =>
    `*${count}\r\n${Array.from({ length: count }, (_none, place) => entry(`1795348700000-${place}`, text)).join("")}`;

  it.each([
    ["sends an entry of 56 MB", exec(`*1\r\n${entry("1-1", "x".repeat(56e6))}`), /sent too much/],
    ["sends more entries than a stream has", exec(pageOf(5001, "x")), /over 5000 entries/],
  ])("%s: stops no command", async (_name, reply, reason) => {
    const server = await startFakeRedis(reply);
    const service = await startWilling();
    const env = envFor(service, { PETS_LIMITER: server.url });
    const run = await runInTime(once, { env });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(reason) });
    expect(service.arrivals).toHaveLength(1);
  });

  it("ends a command at once on SIGTERM, whatever it sends", async () => {
    const heavy = exec(`*1\r\n${entry("1-1", entryOf(100).padEnd(60_000))}`);
    const server = await startFakeRedis(heavy);
    const service = await startPaced(() => {});
    const child = startPets(["list"], { env: envFor(service, { PETS_LIMITER: server.url }) });
    const ended = finished(child);
    await service.came(1);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 143 });
  });
});
