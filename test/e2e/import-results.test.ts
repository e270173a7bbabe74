import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import {
  cleanEnv,
  finished,
  script,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";

const count = 30_000;

/** Makes a directory with a file of so many animals, and returns a command that checks it, with results. */
function checkOf(rows: number, folder = temporaryFolder()) {
  const file = path.join(folder, "pets.csv");
  const lines = Array.from({ length: rows }, (_none, i) => `Pet ${i},1\n`);
  writeFileSync(file, `name,category\n${lines.join("")}`);
  const results = path.join(folder, "results.csv");
  const words = ["add", "--from", file, "--dry-run", "--results", results];
  return { folder, results, words, lines: () => readFileSync(results, "utf8").split("\n").length };
}

it.each([
  ["a reader that leaves", "| head -1", 0],
  ["a full disk", "> /dev/full", 1],
])("are written in spite of %s", async (_what, rest, code) => {
  const { words, lines } = checkOf(count);
  const command = `${[process.execPath, script, ...words].join(" ")} ${rest}`;
  const line = `set -o pipefail; ${command}`;
  expect(spawnSync("bash", ["-c", line], { env: cleanEnv() }).status).toBe(code);
  expect(lines()).toBe(count + 2);
});

it("are written after a signal, and leave nothing after a second one", async () => {
  const { folder, words, lines } = checkOf(count);
  const stopped = startPets(words, { env: cleanEnv() });
  const end = finished(stopped);
  stopped.stdout.once("data", () => stopped.kill("SIGINT"));
  expect((await end).code).toBe(130);
  expect(lines()).toBe(count + 2);
  const left = startPets([...words, "-q"], { env: cleanEnv() });
  const ended = finished(left);
  const isWriting = () => readdirSync(folder).some((name) => name.startsWith(".pets-"));
  while (!isWriting() && left.exitCode === null) await delay(1);
  left.kill("SIGINT");
  left.kill("SIGINT");
  await ended;
  expect(readdirSync(folder).toSorted()).toEqual(["pets.csv", "results.csv"]);
});

it.runIf(process.getuid?.() === 0)("are written into a file that is a mount", ({ skip }) => {
  const { folder, results, words, lines } = checkOf(3);
  const other = path.join(folder, "other.csv");
  for (const file of [other, results]) writeFileSync(file, "an older and longer text\n".repeat(9));
  if (spawnSync("mount", ["--bind", other, results]).status !== 0) skip();
  onTestFinished(() => void spawnSync("umount", ["-l", results]));
  execFileSync(process.execPath, [script, ...words], { env: cleanEnv(), stdio: "ignore" });
  expect(lines()).toBe(5);
  expect(readdirSync(folder).toSorted()).toEqual(["other.csv", "pets.csv", "results.csv"]);
});

it.runIf(canBeOther)("are written into the file of another user, or refused before", () => {
  const [setpriv, ...prefix] = petsAsOther();
  const home = folderOfOther();
  const sticky = path.join(home, "sticky");
  mkdirSync(sticky);
  chmodSync(sticky, 0o1777);
  const { results, words, lines } = checkOf(3, sticky);
  const run = () =>
    spawnSync(setpriv, [...prefix, ...words], { env: cleanEnv(home), encoding: "utf8" });
  writeFileSync(results, "");
  chmodSync(results, 0o644);
  expect(run()).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(results) });
  chmodSync(results, 0o666);
  expect(run().status).toBe(0);
  expect(lines()).toBe(5);
});
