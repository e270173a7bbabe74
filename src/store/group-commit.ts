import type { NewPet } from "../api/types.ts";

/** A transaction of the database. */
export interface Transaction {
  readonly begin: () => void;
  readonly commit: () => void;
  /** Undoes it, where it is still open. */
  readonly rollback: () => void;
  /** False when a failure took the whole transaction with it. */
  readonly isOpen: () => boolean;
}

interface Waiting {
  readonly pet: NewPet;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the adds that arrive in one turn of the event loop into one transaction, because the
 * price is the fsync at its end. `insert` keeps one animal or, alone, fails. Each add settles when
 * the commit has.
 */
export function groupCommit(insert: (pet: NewPet) => string, transaction: Transaction) {
  let waiting: Waiting[] = [];
  let turn: Promise<void> | undefined;
  const commitTurn = (): void => {
    const group = waiting;
    waiting = [];
    turn = undefined;
    commitGroup(group, insert, transaction);
  };
  return {
    add: (pet: NewPet): Promise<string> =>
      new Promise((resolve, reject) => {
        waiting.push({ pet, resolve, reject });
        turn ??= new Promise<void>((done) => setImmediate(done)).then(commitTurn);
      }),
    /** Resolves when no add is waiting any more. */
    drain: async (): Promise<void> => turn,
  };
}

function commitGroup(
  group: readonly Waiting[],
  insert: (pet: NewPet) => string,
  transaction: Transaction,
): void {
  const settle: (() => void)[] = [];
  try {
    transaction.begin();
    for (const add of group) settle.push(tryInsert(add, insert, transaction));
    transaction.commit();
  } catch (error) {
    undo(transaction);
    for (const { reject } of group) reject(error);
    return;
  }
  for (const tell of settle) tell();
}

/** Rolls back. Where that fails too, those who wait still get their answer; the next failure tries it again. */
function undo(transaction: Transaction): void {
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
  { pet, resolve, reject }: Waiting,
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
