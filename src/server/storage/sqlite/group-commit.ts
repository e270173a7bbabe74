import type { NewPet } from "../../../core/pet.ts";
import { createBatcher, type Waiting } from "../batcher.ts";

/** A transaction of the database. */
export interface Transaction {
  readonly begin: () => void;
  readonly commit: () => void;
  /** Undoes it, where it is still open. */
  readonly rollback: () => void;
  /** False when a failure took the whole transaction with it. */
  readonly isOpen: () => boolean;
}

type Add = Waiting<NewPet, string>;

/** A commit keeps the process from all else, so what comes meanwhile is one group, however large. */
const batches = { concurrency: 1, maxBatch: Infinity };

/**
 * Gathers the adds that arrive in one turn of the event loop into one transaction, because the
 * price is the fsync at its end. `insert` keeps one animal or, alone, fails. Each add settles when
 * the commit has.
 */
export function groupCommit(insert: (pet: NewPet) => string, transaction: Transaction) {
  let latest: Promise<unknown> = Promise.resolve();
  const addToBatch = createBatcher<NewPet, string>(
    async (group) => commitGroup(group, insert, transaction),
    batches,
  );
  return {
    add: (pet: NewPet): Promise<string> => {
      const added = addToBatch(pet);
      latest = added;
      return added;
    },
    /** Resolves when no add is waiting any more: they settle in the order in which they came. */
    drain: async (): Promise<void> => {
      await latest.catch(() => {});
    },
  };
}

/** Keeps a group, and tells each how it went; throws where none of it is kept. */
function commitGroup(
  group: readonly Add[],
  insert: (pet: NewPet) => string,
  transaction: Transaction,
): void {
  const settle: (() => void)[] = [];
  try {
    transaction.begin();
    for (const add of group) settle.push(tryInsert(add, insert, transaction));
    transaction.commit();
  } catch (error) {
    rollBackQuietly(transaction);
    throw error;
  }
  for (const tell of settle) tell();
}

/** Rolls back. Where that fails too, those who wait still get their answer; the next failure tries it again. */
function rollBackQuietly(transaction: Transaction): void {
  try {
    transaction.rollback();
  } catch {
    // The failure that led here is the one to tell of.
  }
}

/**
 * Keeps one animal, and answers how to tell of it. A row that fails takes back its own statement
 * alone; throws where it took the whole transaction with it
 * (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
 */
function tryInsert(
  { item: pet, resolve, reject }: Add,
  insert: (pet: NewPet) => string,
  transaction: Transaction,
): () => void {
  try {
    const json = insert(pet);
    return () => resolve(json);
  } catch (error) {
    if (!transaction.isOpen()) throw error;
    return () => reject(error);
  }
}
