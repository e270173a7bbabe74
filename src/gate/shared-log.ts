import { reasonOf } from "../errors.ts";
import { type GateLog, memoryLog } from "./log.ts";
import type { Stamp } from "./stamp.ts";
import type { GateState } from "./state.ts";

/** What a SharedLog needs. */
export interface SharedLogOptions {
  /** Opens what all who use the same key share; throws where it can't be used. */
  readonly openLog: (now: () => Stamp) => GateLog;
  readonly now: () => Stamp;
  /** Told, once, why the state can't be shared. */
  readonly onTrouble: (what: string) => void;
}

/** The log that is shared as long as that can be, and from then on the one of this process alone. */
export class SharedLog {
  readonly #options: SharedLogOptions;
  #log: GateLog | undefined;

  constructor(options: SharedLogOptions) {
    this.#options = options;
  }

  /** What `step` answers; where the log fails in it, `step` is done again with what was known by then. */
  use<T>(step: (log: GateLog) => T): T {
    this.#log ??= this.#open();
    try {
      return step(this.#log);
    } catch (error) {
      this.#log = this.#alone(error, this.#log.state);
      return step(this.#log);
    }
  }

  #open(): GateLog {
    const { openLog, now } = this.#options;
    try {
      return openLog(now);
    } catch (error) {
      return this.#alone(error);
    }
  }

  #alone(error: unknown, state?: GateState): GateLog {
    const { onTrouble, now } = this.#options;
    onTrouble(reasonOf(error));
    return memoryLog(now, state);
  }
}
