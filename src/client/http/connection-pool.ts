import { Client } from "../../vendor/undici.ts";
import type { Connect } from "./connector.ts";
import type { Deadline } from "./deadline.ts";

/** A connection for one request at a time; it connects on first use. */
export interface PooledConnection {
  readonly client: Client;
  /** Aborts connecting for the current request. */
  stop: Pick<Deadline, "signal">;
}

/**
 * How long a connection may idle and still be reused, in ms. If the service closes it at that moment, a
 * POST on it has an unknown outcome (`help rate-limits`: none that idled for over half a second).
 */
const maxIdleMs = 400;

/**
 * The connections to one origin: one per concurrent request, reused within `maxIdleMs` or not at all. Many
 * services close a connection after each reply without announcing it, which leaves a POST on it with an
 * unknown outcome. So the first connection that becomes idle is observed before any is reused.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #connect: Connect;
  readonly #monotonic: () => number;
  #keepAlive: KeepAliveProbe | undefined;
  #idle: { readonly connection: PooledConnection; readonly since: number }[] = [];

  /** `monotonic` returns ms that never go back. */
  constructor(origin: string, connect: Connect, monotonic: () => number) {
    this.#origin = origin;
    this.#connect = connect;
    this.#monotonic = monotonic;
  }

  /** Returns a connection for one request, which `stop` may abort: the last used one, if fresh. */
  async acquire(stop: PooledConnection["stop"]): Promise<PooledConnection> {
    if (this.#keepAlive !== undefined && (await this.#keepAlive.result()) === "closes")
      this.#closeIdle();
    const last = this.#idle.pop();
    if (last === undefined) return this.#open(stop);
    if (this.#monotonic() - last.since <= maxIdleMs) {
      last.connection.stop = stop;
      return last.connection;
    }
    // The others have been idle even longer.
    this.#idle.push(last);
    this.#closeIdle();
    return this.#open(stop);
  }

  /** Returns a connection whose exchange is complete to the pool. */
  release(connection: PooledConnection): void {
    this.#keepAlive ??= probeKeepAlive(connection.client);
    this.#idle.push({ connection, since: this.#monotonic() });
  }

  /** Closes a connection, and aborts the request on it. */
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
        this.#connect(options, connection.stop.signal, callback);
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

/** Finds out whether a service keeps a connection open after a reply. */
interface KeepAliveProbe {
  /** Resolves as soon as that is known, after `observationMs` at the latest. */
  result(): Promise<"keeps" | "closes">;
}

/** How long a connection must stay open after a reply, in ms; a service that closes it does so at once. */
const observationMs = 20;

/** Observes a connection that has just had its first reply. */
function probeKeepAlive(client: Client): KeepAliveProbe {
  const { promise, resolve } = Promise.withResolvers<"keeps" | "closes">();
  const timer = setTimeout(
    () => resolve(client.stats.connected ? "keeps" : "closes"),
    observationMs,
  );
  // A command that sends nothing more does not wait for the result.
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
