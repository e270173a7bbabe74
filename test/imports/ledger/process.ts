import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";

/** What happens to a process: it is killed at a statement that writes, or the disk is full at a transaction. */
export type Trouble =
  | { readonly kind: "kill"; readonly at: number }
  | { readonly kind: "full"; readonly at: number; readonly busy: number };

/** A process that is dead does nothing any more: what it tries throws this. */
class Dead extends Error {}

const current = new AsyncLocalStorage<TestProcess>();

const [busyCode, fullCode] = [5, 13];
const sqliteError = (errcode: number): Error =>
  Object.assign(new Error(`SQLite error ${errcode}`), { code: "ERR_SQLITE_ERROR", errcode });

/** The connections of statements. */
const owners = new WeakMap<object, DatabaseSync>();

/** Does something that no process is asked about. */
const unwatched = (connection: DatabaseSync, text: string): void =>
  current.exit(() => connection.exec(text));

/** A process of a test among others in this one: all that its `run` leads to belongs to it. */
export class TestProcess {
  isDead = false;
  /** Whether the disk was full, and nothing could be written since. */
  isFull = false;
  readonly #trouble: Trouble | undefined;
  readonly #onDeath: () => void;
  readonly #connections = new Set<DatabaseSync>();
  #writes = 0;
  #transactions = 0;
  #refusals = 0;

  constructor(trouble: Trouble | undefined, onDeath: () => void) {
    this.#trouble = trouble;
    this.#onDeath = onDeath;
  }

  run<T>(step: () => Promise<T>): Promise<T> {
    return current.run(this, step);
  }

  assertAlive(): void {
    if (this.isDead) throw new Dead("the process is dead");
  }

  /** Closes what it has open: what is not committed is rolled back, and its locks are free. */
  #kill(): never {
    for (const connection of this.#connections) if (connection.isOpen) connection.close();
    this.isDead = true;
    this.#onDeath();
    throw new Dead("killed");
  }

  /** Called before each statement. */
  before(connection: DatabaseSync, text: string): void {
    this.assertAlive();
    this.#connections.add(connection);
    if (/^\s*(?:SELECT|PRAGMA \w+(?:\.\w+)?(?:\(\d\))?$)/.test(text)) return;
    this.#writes += 1;
    const trouble = this.#trouble;
    if (trouble?.kind === "kill" && this.#writes > trouble.at) this.#kill();
    // Two processes do not wait for each other in one.
    if (text.includes("BEGIN EXCLUSIVE")) unwatched(connection, "PRAGMA busy_timeout = 0");
    if (text.includes("BEGIN IMMEDIATE")) this.#beforeTransaction();
    if (text === "COMMIT") this.#beforeCommit(connection);
  }

  #beforeTransaction(): void {
    const trouble = this.#trouble;
    const isHit = trouble?.kind === "full" && this.#transactions + 1 === trouble.at;
    if (isHit && this.#refusals < trouble.busy) {
      this.#refusals += 1;
      throw sqliteError(busyCode);
    }
    this.#transactions += 1;
  }

  #beforeCommit(connection: DatabaseSync): void {
    const trouble = this.#trouble;
    this.isFull = trouble?.kind === "full" && this.#transactions === trouble.at;
    if (!this.isFull) return;
    unwatched(connection, "ROLLBACK");
    throw sqliteError(fullCode);
  }

  closed(connection: DatabaseSync): void {
    this.#connections.delete(connection);
  }
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Makes SQLite and the file system ask the process that uses them, until disposed. */
export function watchProcesses(): Disposable {
  const restores = [
    ...["unlinkSync", "renameSync", "writeFileSync"].map((name) => watch(fs, name, watchedFile)),
    ...["run", "all", "get"].map((name) => watch(StatementSync.prototype, name, watchedStatement)),
    watch(DatabaseSync.prototype, "exec", watchedExec),
    watch(DatabaseSync.prototype, "prepare", watchedPrepare),
    watch(DatabaseSync.prototype, "close", watchedClose),
  ];
  return {
    [Symbol.dispose]() {
      for (const restore of restores) restore();
    },
  };
}

/** Puts a method around one of an object; returns what takes it away. */
function watch(target: object, name: string, around: (original: Method) => Method): () => void {
  const original: Method = Reflect.get(target, name);
  Reflect.set(target, name, around(original));
  return () => void Reflect.set(target, name, original);
}

const watchedFile = (original: Method): Method =>
  function watched(...values) {
    current.getStore()?.assertAlive();
    return original.apply(this, values);
  };

const watchedExec = (original: Method): Method =>
  function watched(...values) {
    if (this instanceof DatabaseSync) current.getStore()?.before(this, String(values[0]));
    return original.apply(this, values);
  };

const watchedStatement = (original: Method): Method =>
  function watched(...values) {
    const process = current.getStore();
    const owner = this instanceof StatementSync ? owners.get(this) : undefined;
    if (process && owner && this instanceof StatementSync) process.before(owner, this.sourceSQL);
    return original.apply(this, values);
  };

const watchedPrepare = (original: Method): Method =>
  function watched(...values) {
    current.getStore()?.assertAlive();
    const prepared = original.apply(this, values);
    if (prepared instanceof StatementSync && this instanceof DatabaseSync)
      owners.set(prepared, this);
    return prepared;
  };

const watchedClose = (original: Method): Method =>
  function watched() {
    const process = current.getStore();
    if (process?.isDead) return;
    if (this instanceof DatabaseSync) process?.closed(this);
    original.apply(this, []);
  };
