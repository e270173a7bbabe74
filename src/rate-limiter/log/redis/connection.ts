import { errorMessage } from "../../../core/errors.ts";
import { nextId, type Stream, type StreamReply, type StreamStep } from "./stream.ts";

/** Where a server is, and who asks. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}

/** How long the first answer and each step may take, in ms (rate-limits.md, The gate of a fleet). */
const answerMs = 1000;
/** A stream expires so long after its last use, in ms. */
const expireMs = 2 * 24 * 60 * 60_000;
/** Redis 7 and Valkey 7.2 are the first that will do. */
const minMajor = 7;

/** Connects to the stream `key` at `address`. Rejects with the reason if the server can't be used. */
export async function connectStream(address: RedisAddress, key: string): Promise<Stream> {
  const client = await createRedis(address);
  // Each error is that of a command as well.
  client.on("error", () => {});
  try {
    await within(answerMs, async () => {
      await client.connect();
      checkVersion(await client.sendCommand(["HELLO"]));
    });
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw error;
  }
  return {
    step: (step) => within(answerMs, () => runStep(client, key, step)),
    close: () => {
      if (client.isOpen) client.destroy();
    },
  };
}

type Redis = Awaited<ReturnType<typeof createRedis>>;

async function createRedis({ host, port, tls, database, username, password }: RedisAddress) {
  const { createClient } = await import("../../../vendor/redis-client.ts");
  const shared = { host, port, connectTimeout: answerMs, reconnectStrategy: false } as const;
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

function checkVersion(hello: unknown): void {
  const text = String(Object(hello).version ?? "");
  if (!(Number.parseInt(text, 10) >= minMajor))
    throw new Error(`it is too old (${text}): Redis 7, Valkey 7.2 or newer is needed`);
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
    ...(typeof addedId === "string" && { addedId }),
    ...(firstId !== undefined && { firstId }),
    entries: entriesOf(entries),
    serverMs: msOf(time),
  };
}

function entriesOf(reply: unknown) {
  if (!Array.isArray(reply)) throw new Error("it answered something else");
  return reply.map(([id, fields]: readonly [unknown, readonly unknown[]]) => ({
    id: String(id),
    fields: fields.map(String),
  }));
}

function msOf(reply: unknown): number {
  const [seconds, micros] = Array.isArray(reply) ? reply : [];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** Returns what `work` does; rejects if that takes longer than `ms`. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it gave no answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns what is wrong with a server, for the user. A name with several addresses has several errors. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return errorMessage(error).split("\n", 1)[0] ?? "";
}
