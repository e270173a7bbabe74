import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { type FakeReply, silence, startFakeRedis } from "../support/databases/fake-redis.ts";
import { envFor, testKey } from "../support/program/program.ts";
import { startWilling } from "../support/servers/paced.ts";

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

// What else may be wrong with one is in test/rate-limiter/log/redis/unusable-servers.test.ts.
const troubles: readonly Trouble[] = [
  ["says nothing to a step", to("XADD", silence), /did not respond within 1 s/],
  [
    "repeats the password",
    to("HELLO", `-ERR ${password}\u001b[31m of ${password}\r\n`),
    /ERR \*\*\*\\x1b\[31m of \*\*\*/,
  ],
];

describe("a limiter's server that", () => {
  it.each(troubles)("%s stops no command, and is reported once", async (_name, reply, reason) => {
    const server = await startFakeRedis(reply);
    const service = await startWilling();
    const env = envFor(service, {
      PETS_LIMITER: server.url,
      PETS_LIMITER_PASSWORD: password,
    });
    const first = await runInTime(["list", "-v"], { env });
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(reason);
    expect(first.stderr.match(/The limiter at 127\.0\.0\.1:\d+ cannot be used/g)).toHaveLength(1);
    expect(service.arrivals).toHaveLength(1);
    const connections = server.connections();
    const second = await runInTime(["list"], { env });
    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining("limiter") });
    expect(server.connections()).toBe(connections);
    const limits = await runInTime(["limits", "--json"], { env });
    expect(JSON.parse(limits.stdout).limiter).toEqual({
      url: server.url,
      inForce: false,
      reason: expect.any(String),
    });
    const shown = [first, second, limits].map(({ stdout, stderr }) => stdout + stderr).join("");
    expect(shown + stateOf(env)).not.toContain(password);
    expect(server.commands.join()).not.toContain(testKey);
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
