import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { PetsApi } from "../../../src/client/pets-client.ts";
import type { ListQuery, SendObserver } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  importsOfInput,
  readImport,
  startImport,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import { runRows } from "../../../src/imports/run/run-rows.ts";
import { settleUnknown } from "../../../src/imports/run/settle.ts";
import type { Row } from "../../../src/imports/types.ts";
import { testMachine } from "../../support/command/machine.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { inBatches, newImport, stageRows, turn } from "../support/run.ts";

/** What happens to a send; a `kill` ends the process before it, once it is recorded, or once the animal is added. */
const events = [
  "reply",
  "lose the reply",
  "fail",
  "refuse",
  "refuse once",
  "kill before",
  "kill sent",
  "kill added",
] as const;
type SendEvent = (typeof events)[number];

const never = new Promise<never>(() => {});
const lost = new Failure("outcome_unknown", "no reply");

/** A process that sends animals. */
class Process {
  #killed = Promise.withResolvers<void>();
  isDead = false;

  /** Resolves when it is killed. */
  get killed(): Promise<void> {
    return this.#killed.promise;
  }

  kill(): Promise<never> {
    this.isDead = true;
    this.#killed.resolve();
    return never;
  }
}

/** A service that keeps animals, except those named `X`, which it rejects; its sends meet `script`, then go well. */
class Shop implements Pick<PetsApi, "list"> {
  readonly pets: Pet[] = [];
  readonly #script: SendEvent[];

  constructor(script: readonly SendEvent[]) {
    this.#script = [...script];
  }

  async list({ status }: ListQuery): Promise<readonly Pet[]> {
    return this.pets.filter((pet) => status === undefined || pet.status === status);
  }

  async add(sender: Process, pet: NewPet, observer: SendObserver): Promise<Pet> {
    if (sender.isDead) return never;
    const event = this.#script.shift() ?? "reply";
    if (event === "kill before") return sender.kill();
    await observer.onSend();
    await turn();
    if (event === "refuse once" && !sender.isDead) {
      observer.onRefused();
      await observer.onSend();
      await turn();
    }
    if (sender.isDead) return never;
    if (event === "refuse") throw new Failure("rate_limited", "too many", { status: 429 });
    if (event === "kill sent") return sender.kill();
    if (event === "fail") throw lost;
    const kept = { ...pet, id: BigInt(this.pets.length + 1) };
    if (pet.name !== "X") this.pets.push(kept);
    if (event === "kill added") return sender.kill();
    if (event === "lose the reply") throw lost;
    if (pet.name === "X")
      throw new Failure("rejected", "no X", { status: 422, hasErrorBody: true });
    return kept;
  }
}

/** Runs process number `n` of an import, a minute after the last; every second one checks. Returns whether nothing is left. */
async function runOnce(state: string, rows: readonly Row[], shop: Shop, n: number) {
  const isCheck = n % 2 === 1;
  const database = new ImportDatabase(state, "write");
  stageRows(database, rows);
  const begun = importsOfInput(database, "a")[0]?.id ?? (await beginImport(database, newImport()));
  await startImport(database, begun, {});
  const record = readImport(database, begun);
  // The time of day stands still.
  const uptime = { monotonic: () => 1 + n * 61_000 };
  const time = { clock: { now: () => 0 }, machine: testMachine(uptime) };
  const run = new ImportRun(new RunAbort(), database, record, time, () => ({}));
  const sender = new Process();
  for (const name of ["recordSend", "recordUnsent", "recordEnd"] as const) {
    const original = run[name].bind(run) as (...words: unknown[]) => Promise<void>;
    run[name] = (...words: unknown[]) => (sender.isDead ? never : original(...words));
  }
  const clock = fakeClock();
  const work = isCheck
    ? settleUnknown({ api: shop, database, time, storeId: () => undefined }, [record])
    : runRows({
        batches: inBatches(rows, 2),
        run,
        report: () => {},
        concurrency: 3,
        rule: { retryUnknown: false },
        api: { add: (pet, observer) => (observer ? shop.add(sender, pet, observer) : never) },
        slots: {
          clock,
          random: () => 0,
          wait: (ms) => clock.sleep(ms, run.abort.signal),
          isBackoffAnnounced: () => false,
        },
      });
  await Promise.race([work, sender.killed]);
  // What was recorded in the turn of the kill is committed.
  await turn();
  if (!sender.isDead) await run.settled();
  const isStopped = sender.isDead || run.abort.reason !== undefined;
  const { unsent, unknown } = readImport(database, begun);
  database.close();
  return !isStopped && unsent + unknown === 0;
}

const text = ({ name, status }: Pick<Pet, "name" | "status">): string => `${name} ${status}`;

const anyRows = fc.array(fc.constantFrom("a", "a sold", "b", "X"), { minLength: 1, maxLength: 10 });
const anyScript = fc.array(fc.constantFrom(...events), { maxLength: 12 });

it("ends with the same animals and counts, whatever happens to its sends and processes", async () => {
  await fc.assert(
    fc.asyncProperty(anyRows, anyScript, async (letters, script) => {
      const rows = letters.map((letter, index): Row => {
        const [name = "", status] = letter.split(" ");
        const pet: NewPet = { name, categoryId: 1n, ...(status && { status: "sold" }) };
        return { index, line: index + 1, pet };
      });
      const state = temporaryFolder();
      const shop = new Shop(script);
      let isDone = false;
      for (let i = 0; i < 40 && !isDone; i += 1) isDone = await runOnce(state, rows, shop, i);
      const wanted = rows.map(({ pet }) => pet).filter(({ name }) => name !== "X");
      expect(shop.pets.map(text).toSorted()).toEqual(wanted.map(text).toSorted());
      const database = new ImportDatabase(state, "read");
      const [record] = importsOfInput(database, "a");
      expect(record).toMatchObject({
        added: wanted.length,
        rejected: rows.length - wanted.length,
        unsent: 0,
      });
      const recorded = recordedRows(database, record ?? { id: 0 }, 0, rows.length);
      database.close();
      const animals = rows.flatMap(({ index }) => {
        const { id } = recorded[index] ?? {};
        return shop.pets.filter((pet) => String(pet.id) === id).map(text);
      });
      expect(animals).toEqual(wanted.map(text));
    }),
    { numRuns: 12 },
  );
});
