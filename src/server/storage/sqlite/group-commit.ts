import type { NewPet } from "../../../core/pet.ts";
import { createBatcher, type Waiting } from "../batcher.ts";

/** A transaction of the database. */
export interface Transaction {
  readonly begin: () => void;
  readonly commit: () => void;
  /** Rolls back, if it is still open. */
  readonly rollback: () => void;
  /** False after a failure that ended the whole transaction. */
  readonly isOpen: () => boolean;
}

type Add = Waiting<NewPet, string>;

/**
 * A commit blocks the process, so everything that arrives during it becomes one batch, of any size.
 */
const batches = { concurrency: 1, maxBatch: Infinity };

/**
 * Commits the adds of one turn of the event loop in one transaction, because the fsync at its end is
 * the main cost. `insert` stores one animal, or fails without affecting the others. Each add settles
 * after the commit.
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
    /** Resolves when no add is waiting; adds settle in order. */
    drain: async (): Promise<void> => {
      await latest.catch(() => {});
    },
  };
}

/** Stores a group, and settles each; throws if none of it is stored. */
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

/**
 * Rolls back. If that fails too, the callers still get their result; the next failure tries again.
 */
function rollBackQuietly(transaction: Transaction): void {
  try {
    transaction.rollback();
  } catch {
    // The original failure is the one to report.
  }
}

/**
 * Inserts one animal, and returns how to settle its promise. A row that fails undoes only its own
 * statement; throws if the failure ended the whole transaction
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
