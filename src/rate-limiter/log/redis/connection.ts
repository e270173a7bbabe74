import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../../../core/errors.ts";
import { isRecord } from "../../../core/json/parse.ts";
import { truncate } from "../../../core/strings.ts";
import { isStreamId, type StreamEntry } from "./entries.ts";

/** A round trip: adds an entry of the fields `add`, removes what is before `trimTo`, and reads what is after `after`. */
export interface StreamStep {
  readonly add?: readonly string[];
  readonly trimTo?: string;
  readonly after: string;
}

/** What a step found, all at the same moment. */
export interface StreamReply {
  readonly addedId?: string | undefined;
  readonly entries: readonly StreamEntry[];
  readonly firstId?: string | undefined;
  readonly serverMs: number;
}

export interface StreamConnection {
  /** Runs a step in one atomic round trip, in the order of the calls. Rejects if the server can't be used. */
  step(step: StreamStep): Promise<StreamReply>;
  /** Closes the connection; steps in flight are given up. */
  close(): void;
}

export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}

/** How long connecting and each step may take (`help fleet`). */
const responseMs = 1000;
const tickMs = 50;
/** How many entries a step reads: a stream holds fewer than 3,000. */
const maxEntries = 5000;
const expireMs = 2 * 24 * 60 * 60_000;
/** Redis 7 and Valkey 7.2 are the oldest supported versions. */
const minMajor = 7;

/** Connects to the stream `key` of `server`. Rejects with the reason if the server can't be used. */
export async function connectStream(server: RedisServer, key: string): Promise<StreamConnection> {
  const client = await createRedis(server);
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  client.on("error", broken.reject);
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const done = new AbortController();
    try {
      return await Promise.race([work, broken.promise, timeOut(done.signal)]);
    } catch (error) {
      throw new Error(reasonOf(error, server.password), { cause: error });
    } finally {
      done.abort();
    }
  };
  const close = (): void => {
    if (client.isOpen) client.destroy();
  };
  try {
    await inTime(greet(client));
  } catch (error) {
    close();
    throw error;
  }
  return { step: (step) => inTime(runStep(client, key, step)), close };
}

/** Rejects after `responseMs`. It counts ticks: a process that gets no CPU must not blame the server for it. */
async function timeOut(signal: AbortSignal): Promise<never> {
  for (let ms = 0; ms < responseMs; ms += tickMs) await sleep(tickMs, undefined, { signal });
  throw new Error(`it did not respond within ${responseMs / 1000} s`);
}

type Redis = Awaited<ReturnType<typeof createRedis>>;

async function createRedis({ host, port, tls, database, username, password }: RedisServer) {
  const { createClient } = await import("@redis/client");
  const address = { host, port, reconnectStrategy: false } as const;
  // A server name is never an address (RFC 6066, 3).
  const named = isIP(host) === 0 ? { servername: host } : {};
  return createClient({
    RESP: 3,
    socket: tls ? { ...address, tls, ...named } : address,
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: "disabled",
  });
}

async function greet(client: Redis): Promise<void> {
  await client.connect();
  const hello: unknown = await client.sendCommand(["HELLO"]);
  const version = isRecord(hello) ? String(hello.version) : "";
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
  if (trimTo !== undefined) multi.addCommand(["XTRIM", key, "MINID", trimTo]);
  multi.addCommand(["XRANGE", key, `(${after}`, "+", "COUNT", String(maxEntries + 1)]);
  multi.addCommand(["XRANGE", key, "-", "+", "COUNT", "1"]);
  multi.addCommand(["TIME"]);
  const replies: readonly unknown[] = await multi.exec();
  const [entries, first, time] = replies.slice(-3);
  return {
    addedId: add && String(replies[0]),
    firstId: entriesOf(first)[0]?.id,
    entries: entriesOf(entries),
    serverMs: msOf(time),
  };
}

function entriesOf(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) throw new TypeError(somethingElse);
  if (reply.length > maxEntries) throw new Error(`it has over ${maxEntries} entries`);
  return reply.map(([id, fields]: readonly [unknown, readonly unknown[]]) => {
    if (!isStreamId(String(id))) throw new TypeError(somethingElse);
    return { id: String(id), fields: fields.map(String) };
  });
}

function msOf(reply: unknown): number {
  const [seconds, micros]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const ms = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  if (!Number.isSafeInteger(ms)) throw new TypeError(somethingElse);
  return ms;
}

const maxReasonLength = 200;
const tooOld = "it is too old: it must be Redis 7, Valkey 7.2 or newer";
const somethingElse = "it sent an unexpected response";
/** What some replies mean, and what to do. Before Redis 6 a server knows no HELLO. */
const knownReplies: readonly (readonly [reply: RegExp, reason: string])[] = [
  [/unknown command/i, tooOld],
  [/^NOAUTH\b/, "it requires a password: set PETS_LIMITER_PASSWORD (NOAUTH)"],
  [/^WRONGPASS\b/, "it rejected the user or password: check PETS_LIMITER_PASSWORD (WRONGPASS)"],
];

/** Returns what is wrong with a server, for the user, on one line and without the password, which a server may echo. */
function reasonOf(error: unknown, password: string | undefined): string {
  // What the client does not expect is an error of its own.
  if (error instanceof TypeError) return somethingElse;
  const [line = ""] = errorMessage(firstOf(error)).split("\n", 1);
  const known = knownReplies.find(([reply]) => reply.test(line));
  if (known !== undefined) return known[1];
  return truncate(password ? line.replaceAll(password, "***") : line, maxReasonLength);
}

/** Returns the first of several errors: of the addresses of a name, or of the commands of a step. */
function firstOf(error: unknown): unknown {
  if (error instanceof AggregateError) return error.errors[0] ?? error;
  if (!(error instanceof Error) || !("errors" in error)) return error;
  const [first] = typeof error.errors === "function" ? Reflect.apply(error.errors, error, []) : [];
  return first ?? error;
}
