import type {
  StreamConnection,
  StreamReply,
  StreamStep,
} from "../../../src/rate-limiter/log/redis/connection.ts";
import {
  compareIds,
  startId,
  type StreamEntry,
} from "../../../src/rate-limiter/log/redis/entries.ts";

/** A server with one stream, in memory; `now` is its clock, in ms since the epoch. */
export class FakeServer {
  entries: StreamEntry[] = [];
  /** How many steps have run. */
  steps = 0;
  /** Whether every step fails. */
  isDown = false;
  readonly #now: () => number;
  #last = startId;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs a step at once. */
  run({ add, after, trimTo }: StreamStep): StreamReply {
    if (this.isDown) throw new Error("it is down");
    this.steps += 1;
    const addedId = add && this.#add(add);
    if (trimTo !== undefined)
      this.entries = this.entries.filter(({ id }) => compareIds(id, trimTo) >= 0);
    const firstId = this.entries[0]?.id;
    return {
      ...(addedId !== undefined && { addedId }),
      ...(firstId !== undefined && { firstId }),
      entries: this.entries.filter(({ id }) => compareIds(id, after) > 0),
      serverMs: this.#now(),
    };
  }

  /** Forgets everything, like FLUSHALL. */
  flush(): void {
    this.entries = [];
  }

  /** Returns a connection whose steps run at once. */
  connect(): StreamConnection {
    return { step: async (step) => this.run(step), close: () => {} };
  }

  /** Returns the next id. Ids never go back, even if the clock does. */
  #add(fields: readonly string[]): string {
    const own = `${this.#now()}-0`;
    const [ms, seq] = this.#last.split("-");
    this.#last = compareIds(own, this.#last) > 0 ? own : `${ms}-${Number(seq) + 1}`;
    this.entries.push({ id: this.#last, fields });
    return this.#last;
  }
}
