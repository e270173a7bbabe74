import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  bulk,
  type FakeReply,
  hangUp,
  hello,
  silence,
  startFakeRedis,
} from "../support/databases/fake-redis.ts";
import { type PacedService, startPaced } from "../support/servers/paced.ts";
import { envFor, runPets, testKey } from "../support/program/program.ts";

const startWilling = (): Promise<PacedService> => startPaced((arrival) => arrival.answer(200));

const password = "s3cret-of-the-server";

/** What an unusable server does, and what `pets` says about it. */
type Trouble = readonly [
  name: string,
  reply: (words: readonly string[]) => FakeReply,
  reason: RegExp,
];

/** Replies to one command, whatever its arguments. */
const to =
  (name: string, reply: FakeReply) =>
  ([word]: readonly string[]): FakeReply =>
    word === name ? reply : undefined;

/** Replies to EXEC with five replies, of which the first two are `reply`. */
const inExec = (reply: string): ((words: readonly string[]) => FakeReply) =>
  to("EXEC", `*5\r\n${reply.repeat(2)}*0\r\n*0\r\n*2\r\n${bulk("1")}${bulk("2")}`);

const troubles: readonly Trouble[] = [
  ["says nothing", () => silence, /did not respond within 1 s/],
  ["says nothing to a step", to("XADD", silence), /did not respond within 1 s/],
  ["ends the connection", () => hangUp, /closed/i],
  ["ends the connection in a step", to("EXEC", hangUp), /closed/i],
  ["is of version 6", to("HELLO", hello("6.2.14")), /too old.*not 6\.2\.14/],
  [
    "knows no HELLO, and repeats what it was sent",
    ([name, ...words]) => `-ERR unknown command '${name}', args: '${words.join("', '")}'\r\n`,
    /too old/,
  ],
  [
    "repeats the password",
    to("HELLO", `-ERR ${password}\u001b[31m of ${password}\r\n`),
    /ERR \*\*\*\\x1b\[31m of \*\*\*/,
  ],
  ["is full", to("XADD", "-OOM command not allowed\r\n"), /OOM/],
  ["is full when it comes to it", inExec("-OOM command not allowed\r\n"), /OOM/],
  ["is a replica", to("XADD", "-READONLY You can't write\r\n"), /READONLY/],
  ["is loading", to("MULTI", "-LOADING Redis is loading\r\n"), /LOADING/],
  ["wants a password", to("HELLO", "-NOAUTH HELLO must be called\r\n"), /NOAUTH/],
  ["refuses the password", to("HELLO", "-WRONGPASS invalid pair\r\n"), /WRONGPASS/],
  ["forbids a command", to("XRANGE", "-NOPERM no permissions\r\n"), /NOPERM/],
  ["is a cluster", to("XADD", "-MOVED 1 127.0.0.1:7001\r\n"), /MOVED/],
  ["has another kind of value", inExec("-WRONGTYPE Operation\r\n"), /WRONGTYPE/],
  ["has fewer replies than commands", to("EXEC", "*1\r\n:1\r\n"), /sent something else/],
  ["has none", to("EXEC", "_\r\n"), /can't be used/],
  [
    "has an odd clock",
    to("EXEC", "*5\r\n$3\r\n1-1\r\n:1\r\n*0\r\n*0\r\n+noon\r\n"),
    /something else/,
  ],
  ["is not a Redis server", () => "HTTP/1.1 400 Bad Request\r\n\r\n", /can't be used/],
  ["answers noise", () => Buffer.from([0, 255, 13, 10, 36, 45, 49, 1, 13, 10]), /can't be used/],
  ["promises a text that never ends", to("EXEC", `*5\r\n$900000000\r\nx`), /within 1 s/],
];

describe("a limiter's server that", () => {
  it.each(troubles)("%s stops no command, and is reported once", async (_name, reply, reason) => {
    const server = await startFakeRedis(reply);
    const service = await startWilling();
    const env = envFor(service, {
      PETS_LIMITER: server.url,
      PETS_LIMITER_PASSWORD: password,
    });
    const first = await runPets(["list", "-v"], { env });
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(reason);
    expect(first.stderr.match(/The limiter at 127\.0\.0\.1:\d+ can't be used/g)).toHaveLength(1);
    expect(service.arrivals).toHaveLength(1);
    const connections = server.connections();
    const second = await runPets(["list"], { env });
    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining("limiter") });
    expect(server.connections()).toBe(connections);
    const limits = await runPets(["limits", "--json"], { env });
    expect(JSON.parse(limits.stdout).limiter).toEqual({
      url: server.url,
      inForce: false,
      reason: expect.any(String),
    });
    const shown = [first, second, limits].map(({ stdout, stderr }) => stdout + stderr).join("");
    expect(shown + stateOf(env)).not.toContain(password);
    expect(server.commands.join()).not.toContain(testKey);
  });

  it.each(troubles)("%s causes exit 1 if it is required", async (_name, reply, reason) => {
    const server = await startFakeRedis(reply);
    const service = await startWilling();
    const more = { PETS_LIMITER_PASSWORD: password, PETS_LIMITER_REQUIRED: "1" };
    const env = envFor(service, { ...more, PETS_LIMITER: server.url });
    const run = await runPets(["list"], { env });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^pets: the limiter at 127\.0\.0\.1:\d+ is required, and can't be/);
    expect(run.stderr).toMatch(reason);
    expect(run.stderr).not.toContain(password);
    expect(service.arrivals).toHaveLength(0);
    const status = await runPets(["status", "--json"], { env });
    expect(status.code).toBe(1);
  });

  it.each(troubles)("%s is not reported with -q", async (_name, reply) => {
    const server = await startFakeRedis(reply);
    const env = envFor(await startWilling(), { PETS_LIMITER: server.url });
    expect(await runPets(["list", "-q"], { env })).toMatchObject({ code: 0, stderr: "" });
  });
});

/** Returns all files of the limiters' state. */
function stateOf({ HOME = "" }: Record<string, string>): string {
  const entries = readdirSync(HOME, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), "latin1"))
    .join("\n");
}
