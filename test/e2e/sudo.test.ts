import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import { cleanEnv, runPets, testKey } from "../support/program/program.ts";

it.runIf(canBeOther)("what root makes in a home is root's, and its user is told", async () => {
  const home = folderOfOther();
  const env = { ...cleanEnv(home), XDG_CACHE_HOME: path.join(home, ".cache") };
  const login = ["login", "--base-url", "http://127.0.0.1:1/v1", "--no-verify"];
  expect(await runPets(login, { env, input: testKey })).toMatchObject({ code: 0 });
  const made = readdirSync(home, { recursive: true, encoding: "utf8" });
  expect(made).toContain(".config/pets/config.json");
  expect(made.filter((name) => lstatSync(path.join(home, name)).uid !== 0)).toEqual([]);

  const [setpriv, ...command] = petsAsOther();
  const run = (...args: readonly string[]) =>
    spawnSync(setpriv, [...command, ...args], { env, input: testKey, encoding: "utf8" });
  const config = path.join(home, ".config");
  for (const args of [["profile", "list"], ["list"], login]) {
    const { status, stderr } = run(...args);
    expect([status, stderr]).toEqual([
      1,
      `pets: the profile file ${config}/pets/config.json cannot be read: permission denied; ${config} belongs to root\n`,
    ]);
  }
});
