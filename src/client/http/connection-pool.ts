import { Client } from "../../vendor/undici.ts";
import type { Connect } from "./connector.ts";
import type { Deadline } from "./deadline.ts";
import { type KeepAliveProbe, probeKeepAlive } from "./habit.ts";
import { tolerateUnsolicitedContinue } from "./interim.ts";

/** A connection that carries one request at a time. It connects when it is first used. */
export interface Connection {
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
export class Connections {
  readonly #origin: string;
  readonly #connect: Connect;
  readonly #monotonic: () => number;
  #habit: KeepAliveProbe | undefined;
  #idle: { readonly connection: Connection; readonly since: number }[] = [];

  /** `monotonic` answers ms that never go back. */
  constructor(origin: string, connect: Connect, monotonic: () => number) {
    this.#origin = origin;
    this.#connect = connect;
    this.#monotonic = monotonic;
  }

  /** A connection for one request, which `stop` may end; the one that was used last, if it is fresh. */
  async acquire(stop: Connection["stop"]): Promise<Connection> {
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
  release(connection: Connection): void {
    this.#habit ??= probeKeepAlive(connection.client);
    this.#idle.push({ connection, since: this.#monotonic() });
  }

  /** Ends a connection, and the request on it. */
  destroy({ client }: Connection): void {
    client.destroy().catch(() => {});
  }

  #closeIdle(): void {
    for (const { connection } of this.#idle) this.destroy(connection);
    this.#idle = [];
  }

  #open(stop: Connection["stop"]): Connection {
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
    const connection: Connection = { client, stop };
    return connection;
  }
}
