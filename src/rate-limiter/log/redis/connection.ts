import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect as connectSocket, Socket } from "node:net";
import { reasonOf, somethingElse, tooOld } from "./reason.ts";
import {
  isStreamId,
  nextId,
  type Stream,
  type StreamEntry,
  type StreamReply,
  type StreamStep,
} from "./stream.ts";
import { within } from "./within.ts";

/** The address of a Redis server, and the credentials for it. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}

/** How long the first response and each step may take, in ms (`help fleet`). */
const responseMs = 1000;
/** How many bytes the server may send in that time: sixteen times what a stream holds. */
const maxResponseBytes = 8 * 1024 * 1024;
/** How many entries a step reads: a stream holds fewer than 3,000. */
const maxEntries = 5000;
/** How long after its last use a stream expires, in ms. */
const expireMs = 2 * 24 * 60 * 60_000;
/** Redis 7 and Valkey 7.2 are the oldest supported versions. */
const minMajor = 7;

/** Connects to the stream `key` of `server`. Rejects with the reason if the server can't be used. */
export async function connectStream(server: RedisServer, key: string): Promise<Stream> {
  const createRedis = await loadRedis();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  const { result, socket } = withSocketOpenedBy(() => {
    const client = createRedis(server);
    client.on("error", reject);
    return { client, connected: client.connect() };
  });
  const { client, connected } = result;
  const close = (): void => {
    if (client.isOpen) client.destroy();
  };
  let pending = 0;
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    pending += 1;
    // The responses to earlier steps come first.
    const maxBytes = socket.bytesRead + pending * maxResponseBytes;
    const limits = { ms: responseMs, isTooMuch: () => socket.bytesRead > maxBytes };
    try {
      return await within(limits, () => Promise.race([work(), broken]));
    } catch (error) {
      throw new Error(reasonOf(error, server.password), { cause: error });
    } finally {
      pending -= 1;
    }
  };
  try {
    await inTime(() => greet(client, connected));
  } catch (error) {
    close();
    throw error;
  }
  return { step: (step) => inTime(() => runStep(client, key, step)), close };
}

/**
 * Returns what `open` returns, and the first socket that it opens. The client buffers all that a server
 * sends, and shows its socket to nobody; Node publishes each new one.
 */
function withSocketOpenedBy<T>(open: () => T): { readonly result: T; readonly socket: Socket } {
  let socket: Socket | undefined;
  const take = (message: unknown): void => {
    const { socket: opened }: { readonly socket?: unknown } = Object(message);
    if (opened instanceof Socket) socket ??= opened;
  };
  subscribe("net.client.socket", take);
  try {
    const result = open();
    if (socket === undefined) throw new Error("it opened no connection");
    return { result, socket };
  } finally {
    unsubscribe("net.client.socket", take);
  }
}

type Redis = ReturnType<Awaited<ReturnType<typeof loadRedis>>>;

async function loadRedis() {
  const { createClient } = await import("../../../vendor/redis-client.ts");
  return ({ host, port, tls, database, username, password }: RedisServer) => {
    const address = { host, port, reconnectStrategy: false } as const;
    return createClient({
      RESP: 3,
      socket: tls ? { ...address, tls, socket: plainSocket(host, port) } : address,
      database,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      disableClientInfo: true,
      disableOfflineQueue: true,
      maintNotifications: "disabled",
    });
  };
}

/** Opens the connection below TLS, so that Node publishes it in all its versions. */
function plainSocket(host: string, port: number): Socket {
  // The TLS socket above has the same errors.
  return connectSocket({ host, port, noDelay: true }).on("error", () => {});
}

/** Waits for the connection, and checks the server's version. */
async function greet(client: Redis, connected: Promise<unknown>): Promise<void> {
  await connected;
  const hello: unknown = await client.sendCommand(["HELLO"]);
  const version = String(Object(hello).version ?? "");
  if (!(Number.parseInt(version, 10) >= minMajor)) throw new Error(`${tooOld}, not ${version}`);
}

async function runStep(
  client: Redis,
  key: string,
  { add, after, trimTo }: StreamStep,
): Promise<StreamReply> {
  const multi = client.multi();
  if (add !== undefined) {
    multi.addCommand(["XADD", key, "*", ...add]);
    multi.addCommand(["PEXPIRE", key, String(expireMs)]);
  }
  if (trimTo !== undefined) multi.addCommand(["XTRIM", key, "MINID", nextId(trimTo)]);
  multi.addCommand(["XRANGE", key, `(${after}`, "+", "COUNT", String(maxEntries + 1)]);
  multi.addCommand(["XRANGE", key, "-", "+", "COUNT", "1"]);
  multi.addCommand(["TIME"]);
  const replies: readonly unknown[] = await multi.exec();
  const [entries, first, time] = replies.slice(-3);
  const [addedId] = replies;
  return {
    addedId: add && idOf(addedId),
    firstId: entriesOf(first)[0]?.id,
    entries: entriesOf(entries),
    serverMs: msOf(time),
  };
}

function entriesOf(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) throw unexpected();
  if (reply.length > maxEntries) throw new Error(`it has over ${maxEntries} entries`);
  return reply.map((entry: unknown) => {
    const [id, fields]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (!Array.isArray(fields)) throw unexpected();
    return { id: idOf(id), fields: fields.map(String) };
  });
}

function idOf(reply: unknown): string {
  if (typeof reply !== "string" || !isStreamId(reply)) throw unexpected();
  return reply;
}

function msOf(reply: unknown): number {
  const [seconds, micros]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const ms = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  if (!Number.isSafeInteger(ms)) throw unexpected();
  return ms;
}

const unexpected = (): Error => new Error(somethingElse);
