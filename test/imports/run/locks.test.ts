import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  findRunning,
  lockInputs,
  removeStaleLocks,
  tryInput,
} from "../../../src/imports/run/locks.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const inputOf = (digit: string) => ({ input: digit.repeat(32), name: `${digit}.csv` });
const [a, b, c, d] = ["a", "b", "c", "d"].map(inputOf) as [Input, Input, Input, Input];
type Input = ReturnType<typeof inputOf>;

/** Returns the names of the imports that are running, of inputs that all have one. */
function running(state: string, own?: string): readonly string[] {
  using database = new ImportDatabase(state, "write");
  const isNew = database.all("SELECT 1 FROM imports").length === 0;
  const insert = `INSERT INTO imports (input, name, address, host, started, active)
    VALUES (?, ?, '', '', 0, 0)`;
  for (const { input, name } of isNew ? [a, b, c, d] : []) database.run(insert, input, name);
  findRunning(database, own);
  const query = "SELECT name FROM imports WHERE id IN running ORDER BY id";
  return database.all<{ name: string }>(query).map(({ name }) => name);
}

it("locks several inputs, each once, or none of them", () => {
  const state = temporaryFolder();
  const locks = lockInputs(state, [a, b, a]);
  expect(() => lockInputs(state, [c, b])).toThrow(
    "another process is working on the import of b.csv",
  );
  expect(running(state, c.input)).toEqual([a.name, b.name]);
  locks[Symbol.dispose]();
  lockInputs(state, [c, b])[Symbol.dispose]();
  expect(readdirSync(path.join(state, "imports"))).toEqual([]);
});

it("tries one input, and says nothing where another process has it", () => {
  const state = temporaryFolder();
  const lock = tryInput(state, a.input);
  expect([lock !== undefined, tryInput(state, a.input)]).toEqual([true, undefined]);
  lock?.[Symbol.dispose]();
  using again = tryInput(state, a.input);
  expect(again).toBeDefined();
});

it("removes the locks that killed processes left, and no others", () => {
  const state = temporaryFolder();
  using lock = lockInputs(state, [a]);
  writeFileSync(path.join(state, "imports", `${b.input}.lock`), "");
  writeFileSync(path.join(state, "imports", `${c.input}.lock`), "no database\n".repeat(99));
  removeStaleLocks(state, 0);
  expect(readdirSync(path.join(state, "imports"))).toHaveLength(3);
  removeStaleLocks(state, Date.now() + 60_000);
  const left = [a, c].map(({ input }) => `${input}.lock`);
  expect([lock !== undefined, readdirSync(path.join(state, "imports"))]).toEqual([true, left]);
});

it("names a lock that is damaged", () => {
  const state = temporaryFolder();
  lockInputs(state, [a])[Symbol.dispose]();
  const file = path.join(state, "imports", `${a.input}.lock`);
  writeFileSync(file, "no database, but text of some length\n".repeat(99));
  expect(failureOf(() => lockInputs(state, [a]))).toMatchObject({
    kind: "io",
    message: `cannot lock ${file}: file is not a database`,
  });
});

it("finds the imports that others work on, by looks that leave all as it is", () => {
  const state = temporaryFolder();
  expect(running(state)).toEqual([]);
  const folder = path.join(state, "imports");
  using locks = new DisposableStack();
  locks.use(lockInputs(state, [a, b]));
  writeFileSync(path.join(folder, `${c.input}.lock`), "");
  writeFileSync(path.join(folder, "notes.lock"), "");
  mkdirSync(path.join(folder, `${d.input}.lock`));
  const names = readdirSync(folder);
  expect(running(state, a.input)).toEqual([b.name]);
  expect(running(state)).toEqual([a.name, b.name]);
  expect(readdirSync(folder)).toEqual(names);
});
