import { expect, it } from "vitest";
import { connectStream } from "../../../../src/rate-limiter/log/redis/connection.ts";
import {
  bulk,
  type FakeReply,
  hangUp,
  hello,
  silence,
  startFakeRedis,
} from "../../../support/databases/fake-redis.ts";

const password = "s3cret-of-the-server";

/** What an unusable server does, and the reason. */
type Problem = readonly [
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

const problems: readonly Problem[] = [
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
    /^ERR \*\*\*.* of \*\*\*$/,
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
  ["has fewer replies than commands", to("EXEC", "*1\r\n:1\r\n"), /sent an unexpected response/],
  ["has none", to("EXEC", "_\r\n"), /./],
  [
    "has an odd clock",
    to("EXEC", "*5\r\n$3\r\n1-1\r\n:1\r\n*0\r\n*0\r\n+noon\r\n"),
    /unexpected response/,
  ],
  ["is not a Redis server", () => "HTTP/1.1 400 Bad Request\r\n\r\n", /./],
  ["answers noise", () => Buffer.from([0, 255, 13, 10, 36, 45, 49, 1, 13, 10]), /./],
  ["promises a text that never ends", to("EXEC", `*5\r\n$900000000\r\nx`), /within 1 s/],
];

it.each(problems)("a server that %s is given up, with the reason", async (_name, reply, reason) => {
  const { port } = await startFakeRedis(reply);
  const server = { host: "127.0.0.1", port, tls: false, database: 0, password };
  const use = async (): Promise<void> => {
    const stream = await connectStream(server, "pets:name");
    try {
      await stream.step({ after: "0-0", add: ["r", "[]"] });
    } finally {
      stream.close();
    }
  };
  const error = await use().catch((failure: unknown) => failure);
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect(String(error)).not.toContain(password);
});
