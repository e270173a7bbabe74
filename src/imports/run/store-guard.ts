import { Failure } from "../../core/errors.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunAbort } from "./abort.ts";
import type { RunStores } from "./types.ts";

/** What a StoreGuard works with. */
export interface StoreGuardOptions {
  /** The journal of the store that the run sends to. */
  readonly journal: Journal;
  /** Opens the journal of the same input for another store; called once for each. */
  readonly openOther: (storeId: string) => Journal;
  readonly abort: RunAbort;
  /** The host of the service, for messages. */
  readonly host: string;
}

/**
 * Keeps a run to one store: the first id that is received becomes the journal's, and a different one stops
 * the run. What the other store did until then is recorded for it.
 */
export class StoreGuard implements RunStores {
  readonly #options: StoreGuardOptions;
  readonly #others = new Map<string, Journal>();

  constructor(options: StoreGuardOptions) {
    this.#options = options;
  }

  accepts(storeId: string): boolean {
    const { journal, abort, host } = this.#options;
    if (journal.storeId === undefined) journal.recordStore(storeId);
    if (journal.storeId === storeId) return true;
    abort.stop(
      new Failure("service", `the store at ${host} was replaced by another one during the run`, {
        hints: ["run the command again to send all animals to the new store"],
        retryable: true,
      }),
    );
    return false;
  }

  recordElsewhere(
    ...[storeId, index, outcome, id]: Parameters<RunStores["recordElsewhere"]>
  ): void {
    const journal = this.#others.get(storeId) ?? this.#open(storeId);
    const state = journal.state(index);
    if (state === "added" || state === "rejected" || state === "known") return;
    journal.recordSend(index);
    journal.recordOutcome(index, outcome, id);
  }

  /** Closes the journals of other stores. */
  close(): void {
    for (const journal of this.#others.values()) journal.close();
  }

  #open(storeId: string): Journal {
    const journal = this.#options.openOther(storeId);
    this.#others.set(storeId, journal);
    if (journal.storeId === undefined) journal.recordStore(storeId);
    return journal;
  }
}
