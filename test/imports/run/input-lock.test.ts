import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { lockInputs, runningInputs } from "../../../src/imports/run/input-lock.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const inputOf = (digit: string) => ({ input: digit.repeat(32), name: `${digit}.csv` });
const [a, b, c, d] = ["a", "b", "c", "d"].map(inputOf) as [Input, Input, Input, Input];
type Input = ReturnType<typeof inputOf>;

it("locks several inputs, each once, or none of them", () => {
  const state = temporaryFolder();
  const locks = lockInputs(state, [a, b, a]);
  expect(() => lockInputs(state, [c, b])).toThrow("b.csv is being imported by another process");
  expect(runningInputs(state, c.input)).toEqual([a.input, b.input]);
  locks[Symbol.dispose]();
  const forgetting = lockInputs(state, [c, b], true);
  expect(() => lockInputs(state, [b])).toThrow("b.csv is being forgotten by another process");
  forgetting[Symbol.dispose]();
  expect(readdirSync(path.join(state, "imports"))).toEqual([]);
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

it("finds the inputs that others have, and removes what killed processes left", () => {
  const state = temporaryFolder();
  const folder = path.join(state, "imports");
  const locks = lockInputs(state, [a, b]);
  writeFileSync(path.join(folder, `${c.input}.lock`), "");
  writeFileSync(path.join(folder, "notes.lock"), "");
  mkdirSync(path.join(folder, `${d.input}.lock`));
  expect(runningInputs(state, a.input)).toEqual([b.input]);
  const left = [a, b, d].map(({ input }) => `${input}.lock`);
  expect(readdirSync(folder).toSorted()).toEqual([...left, "notes.lock"]);
  locks[Symbol.dispose]();
});
