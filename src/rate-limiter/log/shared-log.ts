import { errorMessage } from "../../core/errors.ts";
import { type EventLog, inMemoryLog } from "./event-log.ts";
import type { Timestamp } from "./stamp.ts";
import type { LimiterState } from "../state.ts";

/** What a SharedLog needs. */
export interface SharedLogOptions {
  /** Opens what all who use the same key share; throws where it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** Told, once, why the state can't be shared. */
  readonly onDegraded: (what: string) => void;
}

/** The log that is shared as long as that can be, and from then on the one of this process alone. */
export class FallbackLog {
  readonly #options: SharedLogOptions;
  #log: EventLog | undefined;

  constructor(options: SharedLogOptions) {
    this.#options = options;
  }

  /** What `step` answers; where the log fails in it, `step` is done again with what was known by then. */
  withLog<T>(step: (log: EventLog) => T): T {
    this.#log ??= this.#open();
    try {
      return step(this.#log);
    } catch (error) {
      this.#log = this.#fallBack(error, this.#log.state);
      return step(this.#log);
    }
  }

  #open(): EventLog {
    const { openLog, now } = this.#options;
    try {
      return openLog(now);
    } catch (error) {
      return this.#fallBack(error);
    }
  }

  #fallBack(error: unknown, state?: LimiterState): EventLog {
    const { onDegraded, now } = this.#options;
    onDegraded(errorMessage(error));
    return inMemoryLog(now, state);
  }
}
