import { Client, symbols } from "../../vendor/undici.ts";
import type { Connect } from "./connector.ts";
import type { Deadline } from "./deadline.ts";

/** A connection that carries one request at a time. It connects when it is first used. */
export interface PooledConnection {
  readonly client: Client;
  /** Ends the attempt to connect that the request on it may need. */
  stop: Pick<Deadline, "signal">;
}

/**
 * How long a connection may idle and still be used again, in ms: a service that closes it just then
 * would leave a POST in doubt (rate-limits.md: none that idled for over half a second).
 */
const maxIdleMs = 400;

/**
 * The connections to one origin: as many as there are requests at once, used again soon or never.
 * Many services close a connection after each reply without announcing it, and a POST that meets
 * that is in doubt; so the first one that becomes idle shows the origin's habit before any is used
 * again.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #connect: Connect;
  readonly #monotonic: () => number;
  #habit: KeepAliveProbe | undefined;
  #idle: { readonly connection: PooledConnection; readonly since: number }[] = [];

  /** `monotonic` answers ms that never go back. */
  constructor(origin: string, connect: Connect, monotonic: () => number) {
    this.#origin = origin;
    this.#connect = connect;
    this.#monotonic = monotonic;
  }

  /** A connection for one request, which `stop` may end; the one that was used last, if it is fresh. */
  async acquire(stop: PooledConnection["stop"]): Promise<PooledConnection> {
    if (this.#habit !== undefined && (await this.#habit.result()) === "closes") this.#closeIdle();
    const last = this.#idle.pop();
    if (last === undefined) return this.#open(stop);
    if (this.#monotonic() - last.since <= maxIdleMs) {
      last.connection.stop = stop;
      return last.connection;
    }
    // The others have been idle for longer still.
    this.#idle.push(last);
    this.#closeIdle();
    return this.#open(stop);
  }

  /** Takes back a connection whose exchange ended well. */
  release(connection: PooledConnection): void {
    this.#habit ??= probeKeepAlive(connection.client);
    this.#idle.push({ connection, since: this.#monotonic() });
  }

  /** Ends a connection, and the request on it. */
  destroy({ client }: PooledConnection): void {
    client.destroy().catch(() => {});
  }

  #closeIdle(): void {
    for (const { connection } of this.#idle) this.destroy(connection);
    this.#idle = [];
  }

  #open(stop: PooledConnection["stop"]): PooledConnection {
    const client = new Client(this.#origin, {
      connect: (options, callback) => {
        this.#connect(options, connection.stop.signal, (...made) => {
          callback(...made);
          if (made[1] !== null) tolerateUnsolicitedContinue(made[1]);
        });
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: maxIdleMs,
      keepAliveMaxTimeout: maxIdleMs,
      keepAliveTimeoutThreshold: maxIdleMs,
    });
    const connection: PooledConnection = { client, stop };
    return connection;
  }
}

/** Whether a service keeps a connection open after a reply. */
export interface KeepAliveProbe {
  /** Resolves as soon as it shows, after `probation` at the latest. */
  result(): Promise<"keeps" | "closes">;
}

/** How long a connection must stay open after a reply, in ms; a close follows on the reply's heels. */
const observationMs = 20;

/** Watches a connection that has just carried its first reply. */
function probeKeepAlive(client: Client): KeepAliveProbe {
  const { promise, resolve } = Promise.withResolvers<"keeps" | "closes">();
  const timer = setTimeout(
    () => resolve(client.stats.connected ? "keeps" : "closes"),
    observationMs,
  );
  // A command that sends nothing more need not stay for the answer.
  timer.unref();
  client.once("disconnect", () => {
    clearTimeout(timer);
    resolve("closes");
  });
  return {
    result: () => {
      timer.ref();
      return promise;
    },
  };
}

/** What is needed of undici's parser of replies. */
interface ReplyParser {
  onHeadersComplete(status: number, upgrade: boolean, shouldKeepAlive: boolean): number;
}

/**
 * Lets a reply on `socket`, which undici has taken, begin with `100 Continue` though nothing asked
 * for it, as a client must (RFC 9110, 15.2). undici passes over every other 1xx, but breaks the
 * connection for this one, which would leave a POST in doubt.
 */
function tolerateUnsolicitedContinue(socket: object): void {
  const parser: unknown = Reflect.get(socket, symbols.kParser);
  if (!isReplyParser(parser)) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) =>
    complete(status === 100 ? 102 : status, upgrade, shouldKeepAlive);
}

function isReplyParser(value: unknown): value is ReplyParser {
  return value instanceof Object && "onHeadersComplete" in value;
}
