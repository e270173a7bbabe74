import { Client } from "../../vendor/undici.ts";
import type { Connect } from "./connector.ts";
import type { Deadline } from "./deadline.ts";

/** A connection for one request at a time; it connects on first use. */
export interface PooledConnection {
  readonly client: Client;
  /** Stops the current request, and connecting for it. */
  deadline: Deadline;
  /** When its last exchange was complete, in ms of the pool's clock. */
  idleSince: number;
}

/**
 * How long a connection may idle and still be reused, in ms. If the service closes it at that moment, a
 * POST on it has an unknown outcome (`help rate-limits`: none that idled for over half a second).
 */
const maxIdleMs = 400;
/** How long a connection must stay open after a reply, in ms; a service that closes it does so at once. */
const observationMs = 20;

/**
 * The connections to one origin: one per concurrent request, reused within `maxIdleMs` or not at all. Many
 * services close a connection after each reply without announcing it, which leaves a POST on it with an
 * unknown outcome. So the first connection that becomes idle is observed before any is reused.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #connect: Connect;
  readonly #monotonic: () => number;
  readonly #open = new Set<PooledConnection>();
  #idle: PooledConnection[] = [];
  #isKeptOpen: Promise<boolean> | undefined;

  constructor(origin: string, connect: Connect, monotonic: () => number) {
    this.#origin = origin;
    this.#connect = connect;
    this.#monotonic = monotonic;
  }

  /** Returns a connection for one request, which `deadline` may stop: the last used one, if fresh. */
  async acquire(deadline: Deadline): Promise<PooledConnection> {
    const last = this.#idle.pop();
    if (last === undefined) return this.#add(deadline);
    this.#isKeptOpen ??= observe(last.client);
    const isKeptOpen = await this.#isKeptOpen;
    if (isKeptOpen && this.#monotonic() - last.idleSince <= maxIdleMs) {
      last.deadline = deadline;
      return last;
    }
    // The others have been idle even longer.
    for (const connection of [last, ...this.#idle]) this.destroy(connection);
    this.#idle = [];
    return this.#add(deadline);
  }

  /** Returns a connection whose exchange is complete to the pool. */
  release(connection: PooledConnection): void {
    connection.idleSince = this.#monotonic();
    this.#idle.push(connection);
  }

  /** Closes a connection, and aborts the request on it. */
  destroy(connection: PooledConnection): void {
    this.#open.delete(connection);
    connection.client.destroy().catch(() => {});
  }

  abort(): void {
    for (const { deadline } of this.#open) deadline.stop("aborted");
  }

  #add(deadline: Deadline): PooledConnection {
    const client = new Client(this.#origin, {
      connect: (options, callback) => {
        this.#connect(options, connection.deadline.signal, callback);
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: maxIdleMs,
      keepAliveMaxTimeout: maxIdleMs,
      keepAliveTimeoutThreshold: maxIdleMs,
    });
    const connection = { client, deadline, idleSince: 0 };
    this.#open.add(connection);
    return connection;
  }
}

/** Returns whether the service keeps a connection open on which it has just replied. */
function observe(client: Client): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(client.stats.connected), observationMs);
  const closed = (): void => resolve(false);
  client.once("disconnect", closed);
  if (!client.stats.connected) closed();
  return promise.finally(() => {
    clearTimeout(timer);
    client.off("disconnect", closed);
  });
}
