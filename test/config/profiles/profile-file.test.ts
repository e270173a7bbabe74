import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { storedSecrets } from "../../../src/config/profiles/profile-file.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const profiles = {
  a: { baseUrl: "https://a.example", apiKey: "key-a" },
  b: {
    baseUrl: "https://b.example",
    keyCommand: "op read b",
    limiter: "redis://u:pass%20word@redis.example",
  },
};

it.each<[content: string, keys: readonly string[]]>([
  [JSON.stringify({ profiles }), ["key-a", "pass%20word", "pass word"]],
  [JSON.stringify({ current: "a" }), []],
  [JSON.stringify({ profiles: { a: { apiKey: 3 } } }), []],
  ["[", []],
  ["", []],
])("storedSecrets of %s returns %j", (content, keys) => {
  const folder = temporaryFolder();
  const file = path.join(folder, "config.json");
  writeFileSync(file, content);
  chmodSync(file, 0o640);
  expect(storedSecrets(file)).toEqual(keys);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(["config.json"]);
});

it("storedSecrets returns none for what is not a file", () => {
  const folder = path.join(temporaryFolder(), "config.json");
  expect(storedSecrets(folder)).toEqual([]);
  mkdirSync(folder);
  expect(storedSecrets(folder)).toEqual([]);
  expect(storedSecrets("/dev/zero")).toEqual([]);
});
