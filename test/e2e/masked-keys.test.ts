import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, envFor } from "../support/program/program.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const stored = "a-key/of+the=shop~1234";
const ofStore = "pets_0123456789abcdefghijklmnopqrstuv";
const fromEnv = "the-key-of-the-environment";

const commands = (key: string): readonly (readonly string[])[] => [
  ["get", key],
  ["keys", "revoke", key],
  ["list", "--profile", key],
  ["list", `--status=${key}`],
  ["list", "--limit", key],
  ["list", "--fields", key],
  ["list", "--timeout", key],
  ["add", "--name", "Rex", "--category", key],
  ["add", "--from", key],
  ["add", "--from", "x", "--format", key],
  ["list", "--base-url", key],
  ["list", "--base-url", `https://a.example/?key=${key}`],
  ["profile", "use", key],
  ["help", key],
  ["completion", key],
  [key],
  ["list", key],
  ["list", `--${key}`],
  ["login", "--base-url", "https://a.example/v1", key],
];
/** With a key from the environment, one of a profile, and one that looks like a key made by `pets serve`. */
const cases = [
  [stored, ["list", "--base-url", `https://shop.example/${stored}/v1`, "--max-wait", "0"]] as const,
  ...commands(stored).map((args) => [stored, args] as const),
  ...commands(ofStore).map((args) => [ofStore, args] as const),
  ...commands(fromEnv)
    .slice(0, 4)
    .map((args) => [fromEnv, args] as const),
];

it.each(cases)("never prints %s completely, as in %j", async (key, args) => {
  const env = cleanEnv();
  const folder = path.join(env.HOME ?? "", ".config/pets");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const shop = { baseUrl: "https://shop.example/v1", apiKey: stored };
  const config = JSON.stringify({ current: "shop", profiles: { shop } });
  writeFileSync(path.join(folder, "config.json"), config, { mode: 0o600 });
  if (key === fromEnv) env.PETS_API_KEY = key;
  const { code, stdout, stderr } = await runInTime([...args, "--verbose"], { env });
  expect(code).toBeGreaterThan(0);
  expect(stderr).not.toBe("");
  expect(`${stdout}${stderr}`).not.toContain(key);
});

it("prints no key as long as a large JSON Web Token that the service returns", async () => {
  const longKey = `${"eyJhbGciOiJI".repeat(416)}.end4`;
  const { baseUrl } = await startStranger((request, response, n) => {
    const animal = reply(201, JSON.stringify({ id: 1, name: longKey, categoryId: 1 }));
    const refusal = reply(401, errorBody(401, "unauthorized", `no ${longKey} here`));
    (request.method === "POST" ? animal : refusal)(request, response, n);
  });
  const env = envFor({ baseUrl, apiKey: longKey });
  const add = ["add", "--name", "Rex", "--category", "1", "--json"];
  let printed = "";
  for (const args of [["list", "--verbose"], ["list", "--json"], add, ["get", longKey]]) {
    const { stdout, stderr } = await runInTime(args, { env });
    printed += stdout + stderr;
  }
  expect(printed).not.toContain(longKey.slice(0, 200));
  expect(printed).not.toContain(longKey.slice(-100));
});
