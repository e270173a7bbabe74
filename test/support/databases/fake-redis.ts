import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "../servers/free-port.ts";

/** Instead of a reply: none, or the end of the connection. */
export const silence = Symbol("silence");
export const hangUp = Symbol("hang up");

/** The reply of a test to a command, as bytes of the protocol; undefined for the normal one. */
export type FakeReply = string | Buffer | typeof silence | typeof hangUp | undefined;

/** Starts a server with an empty stream that is never written to; `reply` may override its replies. */
export async function startFakeRedis(
  reply: (words: readonly string[]) => FakeReply,
  greeting = "",
) {
  const commands: string[] = [];
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.write(greeting);
    const session = new Session();
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      server.emit("left");
    });
    socket.on("data", (chunk) => {
      for (const words of session.read(chunk)) {
        commands.push(words.join(" "));
        const own = reply(words);
        if (own === hangUp) socket.destroy();
        else if (own !== silence) socket.write(own ?? session.reply(words));
      }
    });
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const port = await listen(server);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    /** How many connections were opened, and how many of them still are. */
    connections: () => connections,
    open: () => sockets.size,
    /** Resolves once no connection is open. */
    ended: async () => {
      while (sockets.size > 0) await once(server, "left");
    },
    /** Each as one line of words. */
    commands,
  };
}

/** Returns the reply to HELLO of a server of this version. */
export const hello = (version: string): string =>
  `%3\r\n${bulk("server")}${bulk("redis")}${bulk("version")}${bulk(version)}${bulk("proto")}:3\r\n`;

export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** One connection: its incomplete input, and the commands since MULTI. */
class Session {
  #text = "";
  #queued: readonly string[][] | undefined;

  /** Returns the words of each command that is complete. */
  read(chunk: Buffer): readonly string[][] {
    this.#text += chunk.toString("latin1");
    const commands: string[][] = [];
    for (let words = this.#next(); words !== undefined; words = this.#next()) commands.push(words);
    return commands;
  }

  reply(words: readonly string[]): string {
    const [name] = words;
    if (name === "HELLO") return hello("7.0.15");
    if (name === "MULTI") this.#queued = [];
    if (name === "EXEC") return this.#exec();
    if (this.#queued === undefined || name === "MULTI") return "+OK\r\n";
    this.#queued = [...this.#queued, [...words]];
    return "+QUEUED\r\n";
  }

  #exec(): string {
    const replies = (this.#queued ?? []).map(([name]) => usualReplies[name ?? ""] ?? ":0\r\n");
    this.#queued = undefined;
    return `*${replies.length}\r\n${replies.join("")}`;
  }

  /** Reads a command, which is an array of strings. */
  #next(): string[] | undefined {
    const [head = "", count = "0"] = /^\*(\d+)\r\n/.exec(this.#text) ?? [];
    if (head === "") return undefined;
    let at = head.length;
    const words: string[] = [];
    while (words.length < Number(count)) {
      const [lead = "", length = "0"] = /^\$(\d+)\r\n/.exec(this.#text.slice(at, at + 20)) ?? [];
      const end = at + lead.length + Number(length);
      if (lead === "" || this.#text.length < end + 2) return undefined;
      words.push(this.#text.slice(at + lead.length, end));
      at = end + 2;
    }
    this.#text = this.#text.slice(at);
    return words;
  }
}

/** Within EXEC. */
const usualReplies: Readonly<Record<string, string>> = {
  XADD: bulk("1795348710191-0"),
  XRANGE: "*0\r\n",
  TIME: `*2\r\n${bulk("1795348710")}${bulk("191000")}`,
};
