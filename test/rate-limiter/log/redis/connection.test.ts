import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  connectStream,
  type RedisServer,
} from "../../../../src/rate-limiter/log/redis/connection.ts";
import { makeCertificate } from "../../../client/support/certificate.ts";
import {
  bulk,
  type FakeReply,
  hangUp,
  hello,
  silence,
  startFakeRedis,
} from "../../../support/databases/fake-redis.ts";

const open = (port: number, more: Partial<RedisServer> = {}) =>
  connectStream({ host: "127.0.0.1", port, tls: false, database: 0, ...more }, "pets:name");

/** Returns a server that replies like this, and its stream, until the test ends. */
async function connected(
  reply: (words: readonly string[]) => FakeReply = () => undefined,
  more: Partial<RedisServer> = {},
) {
  const server = await startFakeRedis(reply);
  const stream = await open(server.port, more);
  onTestFinished(() => stream.close());
  return { server, stream };
}

/** Replies to one command, whatever its arguments. */
const to =
  (name: string, reply: FakeReply) =>
  ([word]: readonly string[]): FakeReply =>
    word === name ? reply : undefined;

const exec = (...replies: readonly string[]) =>
  to("EXEC", `*${replies.length}\r\n${replies.join("")}`);

const entry = (id: string, ...fields: readonly string[]): string =>
  `*2\r\n${bulk(id)}*${fields.length}\r\n${fields.map(bulk).join("")}`;
const none = "*0\r\n";
const time = `*2\r\n${bulk("1795348710")}${bulk("191999")}`;

describe("connectStream", () => {
  it("runs a step in one transaction", async () => {
    const { server, stream } = await connected(
      exec(bulk("5-1"), ":1\r\n", `*1\r\n${entry("4-0", "r", "x")}`, none, time),
    );
    const before = server.commands.length;
    expect(await stream.step({ after: "3-7", add: ["r", "[]"] })).toEqual({
      addedId: "5-1",
      entries: [{ id: "4-0", fields: ["r", "x"] }],
      serverMs: 1_795_348_710_191,
    });
    expect(server.commands.slice(before)).toEqual([
      "MULTI",
      "XADD pets:name * r []",
      "PEXPIRE pets:name 172800000",
      "XRANGE pets:name (3-7 + COUNT 5001",
      "XRANGE pets:name - + COUNT 1",
      "TIME",
      "EXEC",
    ]);
  });

  it("only reads without an entry, and trims what a snapshot covers", async () => {
    const { server, stream } = await connected(exec(none, `*1\r\n${entry("9-9")}`, time));
    expect(await stream.step({ after: "0-0" })).toMatchObject({ entries: [], firstId: "9-9" });
    expect(server.commands.join()).not.toMatch(/XADD|PEXPIRE|XTRIM/);
    await stream.step({ after: "0-0", trimTo: "8-7" });
    expect(server.commands).toContain("XTRIM pets:name MINID 8-7");
  });

  it("authenticates, and selects a database", async () => {
    const who = { username: "pets", password: "s3cret", database: 4 };
    const { server } = await connected(undefined, who);
    expect(server.commands).toEqual(["HELLO 3 AUTH pets s3cret", "SELECT 4", "HELLO"]);
  });

  it.each(["7.0.0", "10.0.1"])("accepts version %s until it is closed", async (version) => {
    const { server, stream } = await connected(to("HELLO", hello(version)));
    expect(server.open()).toBe(1);
    stream.close();
    await server.ended();
    expect(server.open()).toBe(0);
  });

  it("reads no more entries than a stream can have", async () => {
    const many = `*5001\r\n${entry("1-1", "r", "x").repeat(5001)}`;
    const { stream } = await connected(exec(many, none, time));
    await expect(stream.step({ after: "0-0" })).rejects.toThrow("it has over 5000 entries");
  });
});

it.each([
  ["sent to a host by name", "localhost", true, ["localhost"]],
  ["not sent to an IPv4 address", "127.0.0.1", true, []],
  ["not sent to an IPv6 address", "::1", true, []],
  ["not sent without TLS", "localhost", false, []],
])("a server name is %s", async (_what, host, tls, expected) => {
  const names: string[] = [];
  let handshakes = 0;
  const server = createServer({
    ...makeCertificate("DNS:localhost"),
    SNICallback: (name, done) => {
      names.push(name);
      done(null);
    },
  });
  server.once("keylog", () => (handshakes += 1));
  onTestFinished(() => void server.close());
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // It does not trust the certificate.
  await expect(open(port, { host, tls })).rejects.toThrow(tls ? /certificate/ : /./);
  expect({ names, handshakes }).toEqual({ names: expected, handshakes: tls ? 1 : 0 });
});

const password = "s3cret-of-the-server";

/** Replies to EXEC with five replies, of which the first two are `reply`. */
const inExec = (reply: string) => exec(reply, reply, none, none, time);

it.each<[does: string, reply: (words: readonly string[]) => FakeReply, reason: RegExp]>([
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
  ["repeats the password", to("HELLO", `-ERR ${password} of ${password}\r\n`), /\*{3} of \*{3}$/],
  ["is full", to("XADD", "-OOM command not allowed\r\n"), /OOM/],
  ["is full when it comes to it", inExec("-OOM command not allowed\r\n"), /OOM/],
  [
    "wants a password",
    to("HELLO", "-NOAUTH HELLO must be called\r\n"),
    /set PETS_LIMITER_PASSWORD/,
  ],
  ["refuses it", to("HELLO", "-WRONGPASS invalid pair\r\n"), /check PETS_LIMITER_PASSWORD/],
  ["is a cluster", to("XADD", "-MOVED 1 127.0.0.1:7001\r\n"), /MOVED/],
  ["has another kind of value", inExec("-WRONGTYPE Operation\r\n"), /WRONGTYPE/],
  ["has fewer replies than commands", to("EXEC", "*1\r\n:1\r\n"), /sent an unexpected response/],
  ["has none", to("EXEC", "_\r\n"), /./],
  ["has an odd clock", exec(none, none, none, none, "+noon\r\n"), /unexpected response/],
  ["is not a Redis server", () => "HTTP/1.1 400 Bad Request\r\n\r\n", /./],
  ["answers noise", () => Buffer.from([0, 255, 13, 10, 36, 45, 49, 1, 13, 10]), /./],
  ["promises a text that never ends", to("EXEC", `*5\r\n$900000000\r\nx`), /within 1 s/],
])("a server that %s is given up, with the reason", async (_name, reply, reason) => {
  const { port } = await startFakeRedis(reply);
  const use = async (): Promise<void> => {
    const stream = await open(port, { password });
    onTestFinished(() => stream.close());
    await stream.step({ after: "0-0", add: ["r", "[]"] });
  };
  const error = await use().catch((failure: unknown) => failure);
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect(String(error)).not.toContain(password);
});
