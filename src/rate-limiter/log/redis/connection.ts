import type { RedisServer } from "../../../core/redis-server.ts";
import { reasonOf, tooOld } from "./reason.ts";
import {
  isStreamId,
  nextId,
  type Stream,
  type StreamEntry,
  type StreamReply,
  type StreamStep,
} from "./stream.ts";
import { within } from "./within.ts";

/** How long the first answer and each step may take, in ms (rate-limits.md, The gate of a fleet). */
const answerMs = 1000;
/** How long after its last use a stream expires, in ms. */
const expireMs = 2 * 24 * 60 * 60_000;
/** Redis 7 and Valkey 7.2 are the oldest supported versions. */
const minMajor = 7;

/** Connects to the stream `key` of `server`. Rejects with the reason if the server can't be used. */
export async function connectStream(server: RedisServer, key: string): Promise<Stream> {
  const client = await createRedis(server);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  client.on("error", reject);
  const close = (): void => {
    if (client.isOpen) client.destroy();
  };
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await within(answerMs, () => Promise.race([work(), broken]));
    } catch (error) {
      throw new Error(reasonOf(error, server.password), { cause: error });
    }
  };
  try {
    await inTime(() => greet(client));
  } catch (error) {
    close();
    throw error;
  }
  return { step: (step) => inTime(() => runStep(client, key, step)), close };
}

type Redis = Awaited<ReturnType<typeof createRedis>>;

async function createRedis({ host, port, tls, database, username, password }: RedisServer) {
  const { createClient } = await import("../../../vendor/redis-client.ts");
  const shared = { host, port, reconnectStrategy: false } as const;
  return createClient({
    RESP: 3,
    socket: tls ? { ...shared, tls } : shared,
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
  });
}

/** Connects, and checks the server's version. */
async function greet(client: Redis): Promise<void> {
  await client.connect();
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
  multi.addCommand(["XRANGE", key, `(${after}`, "+"]);
  multi.addCommand(["XRANGE", key, "-", "+", "COUNT", "1"]);
  multi.addCommand(["TIME"]);
  const replies: readonly unknown[] = await multi.exec();
  const [entries, first, time] = replies.slice(-3);
  const [addedId] = add === undefined ? [] : replies;
  const firstId = entriesOf(first)[0]?.id;
  return {
    ...(add !== undefined && { addedId: idOf(addedId) }),
    ...(firstId !== undefined && { firstId }),
    entries: entriesOf(entries),
    serverMs: msOf(time),
  };
}

function entriesOf(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) throw somethingElse();
  return reply.map((entry: unknown) => {
    const [id, fields]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (!Array.isArray(fields)) throw somethingElse();
    return { id: idOf(id), fields: fields.map(String) };
  });
}

function idOf(reply: unknown): string {
  if (typeof reply !== "string" || !isStreamId(reply)) throw somethingElse();
  return reply;
}

function msOf(reply: unknown): number {
  const [seconds, micros]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const ms = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  if (!Number.isSafeInteger(ms)) throw somethingElse();
  return ms;
}

const somethingElse = (): Error => new Error("it answered something else");
