import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { lockInputs, lockStart, runningInputs } from "../../../src/imports/run/input-lock.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const inputOf = (digit: string) => ({ input: digit.repeat(32), name: `${digit}.csv` });
const [a, b, c, d] = ["a", "b", "c", "d"].map(inputOf) as [Input, Input, Input, Input];
type Input = ReturnType<typeof inputOf>;

it("locks several inputs, each once, or none of them", () => {
  const state = temporaryFolder();
  const locks = lockInputs(state, [a, b, a]);
  expect(() => lockInputs(state, [c, b])).toThrow("b.csv is being imported or forgotten");
  expect(runningInputs(state, c.input)).toEqual([a.input, b.input]);
  locks[Symbol.dispose]();
  lockInputs(state, [c, b])[Symbol.dispose]();
  expect(readdirSync(path.join(state, "imports"))).toEqual([]);
});

it("finds the inputs that others have, and removes what killed processes left", () => {
  const state = temporaryFolder();
  const folder = path.join(state, "imports");
  const locks = lockInputs(state, [a, b]);
  writeFileSync(path.join(folder, `${c.input}.lock`), "");
  writeFileSync(path.join(folder, "notes.lock"), "");
  mkdirSync(path.join(folder, `${d.input}.lock`));
  lockStart(state)?.[Symbol.dispose]();
  expect(runningInputs(state, a.input)).toEqual([b.input]);
  const left = [a, b, d].map(({ input }) => `${input}.lock`);
  expect(readdirSync(folder).toSorted()).toEqual([...left, "notes.lock", "start.lock"]);
  locks[Symbol.dispose]();
});

it("lets one import be prepared at a time", () => {
  const state = temporaryFolder();
  const start = lockStart(state);
  expect([start, lockStart(state)]).toEqual([expect.anything(), undefined]);
  start?.[Symbol.dispose]();
  const next = lockStart(state);
  expect(next).toBeDefined();
  next?.[Symbol.dispose]();
});
