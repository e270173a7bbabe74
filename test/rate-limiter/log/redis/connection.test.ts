import { describe, expect, it } from "vitest";
import { connectStream } from "../../../../src/rate-limiter/log/redis/connection.ts";
import {
  bulk,
  type FakeReply,
  hello,
  startFakeRedis,
} from "../../../support/databases/fake-redis.ts";

const address = (port: number) => ({ host: "127.0.0.1", port, tls: false, database: 0 });

/** Overrides the replies to EXEC. */
const exec =
  (...replies: readonly string[]) =>
  ([name]: readonly string[]): FakeReply =>
    name === "EXEC" ? `*${replies.length}\r\n${replies.join("")}` : undefined;

const entry = (id: string, ...fields: readonly string[]): string =>
  `*2\r\n${bulk(id)}*${fields.length}\r\n${fields.map(bulk).join("")}`;
const none = "*0\r\n";
const time = `*2\r\n${bulk("1795348710")}${bulk("191999")}`;

describe("connectStream", () => {
  it("runs a step in one transaction", async () => {
    const server = await startFakeRedis(
      exec(bulk("5-1"), ":1\r\n", `*1\r\n${entry("4-0", "r", "x")}`, none, time),
    );
    const stream = await connectStream(address(server.port), "pets:name");
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
    stream.close();
  });

  it("only reads without an entry, and trims what a snapshot covers", async () => {
    const server = await startFakeRedis(exec(none, `*1\r\n${entry("9-9")}`, time));
    const stream = await connectStream(address(server.port), "pets:name");
    expect(await stream.step({ after: "0-0" })).toMatchObject({ entries: [], firstId: "9-9" });
    expect(server.commands.join()).not.toMatch(/XADD|PEXPIRE|XTRIM/);
    const trimmed = stream.step({ after: "0-0", trimTo: "8-7" });
    expect(await trimmed).toMatchObject({ firstId: "9-9" });
    expect(server.commands).toContain("XTRIM pets:name MINID 8-7");
    stream.close();
  });

  it("authenticates, and selects a database", async () => {
    const server = await startFakeRedis(() => undefined);
    const who = { username: "pets", password: "s3cret", database: 4 };
    const stream = await connectStream({ ...address(server.port), ...who }, "pets:name");
    expect(server.commands).toEqual(["HELLO 3 AUTH pets s3cret", "SELECT 4", "HELLO"]);
    stream.close();
  });

  it.each([["7.0.0"], ["10.0.1"]])("accepts version %s", async (version) => {
    const server = await startFakeRedis(([name]) =>
      name === "HELLO" ? hello(version) : undefined,
    );
    const stream = await connectStream(address(server.port), "pets:name");
    expect(server.open()).toBe(1);
    stream.close();
  });

  it("reads no more entries than a stream can have", async () => {
    const many = `*5001\r\n${entry("1-1", "r", "x").repeat(5001)}`;
    const server = await startFakeRedis(exec(many, none, time));
    const stream = await connectStream(address(server.port), "pets:name");
    await expect(stream.step({ after: "0-0" })).rejects.toThrow("it has over 5000 entries");
    stream.close();
  });

  it("leaves no connection open after it is closed", async () => {
    const server = await startFakeRedis(() => undefined);
    const stream = await connectStream(address(server.port), "pets:name");
    expect(server.open()).toBe(1);
    stream.close();
    await server.ended();
    expect(server.open()).toBe(0);
  });
});
