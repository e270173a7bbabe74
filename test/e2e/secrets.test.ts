import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

// Longer than any value that is cut in a message.
const key = `a-key/of+the=${"long-".repeat(16)}shop~1234`;

/** What the service does: it echoes what it must not, in bodies and headers, as some do. */
const headers = { "x-pets-store": key, sunset: key, deprecation: key };
const modes = {
  responds: reply(200, JSON.stringify([{ id: 1, name: key, categoryId: 1, status: key }]), headers),
  adds: reply(201, JSON.stringify({ id: 1, name: `x ${key}`, categoryId: 1 }), headers),
  refuses: reply(401, errorBody(401, key, `no ${key} or ${encodeURIComponent(key)}`), headers),
  forbids: reply(403, JSON.stringify({ detail: `"${key}" is banned` }), headers),
  fails: reply(400, errorBody(400, "x", key), headers),
  moves: reply(302, "", { ...headers, location: `https://a.example/?key=${key}` }),
} as const;

interface Kind {
  /** The commands that can know the key: one that is not run, or not typed yet, nobody can mask. */
  readonly knows?: RegExp;
  /** The profile `shop`, which is the current one. */
  readonly profile?: object;
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** Returns how a kind of key comes to the program, whose service is at `baseUrl`; `file` has the key. */
const kinds: Readonly<Record<string, (baseUrl: string, file: string) => Kind>> = {
  stored: (baseUrl) => ({ profile: { baseUrl, apiKey: key } }),
  "of the environment": (baseUrl) => ({ env: { PETS_API_KEY: key, PETS_BASE_URL: baseUrl } }),
  "on standard input": (baseUrl) => ({
    profile: { baseUrl },
    input: `${key}\n`,
    knows: /^login/,
  }),
  "of a key command": (baseUrl, file) => ({
    profile: { baseUrl, keyCommand: `cat ${file}` },
    knows:
      /^(?:list(?: -.*)?|get 7.*|add --name.*(?<!dry-run --json)|add --from \S* -v|imports.*|status.*|limits.*|profile.*)$/,
  }),
  "a limiter's password": (baseUrl) => ({
    env: {
      PETS_API_KEY: "another-key-12",
      PETS_BASE_URL: baseUrl,
      PETS_LIMITER: "redis://127.0.0.1:1",
      PETS_LIMITER_PASSWORD: key,
    },
  }),
  "a password in the URL of a limiter": (baseUrl) => {
    const limiter = `redis://u:${encodeURIComponent(key)}@127.0.0.1:1`;
    return { profile: { baseUrl, apiKey: "another-key-12", limiter } };
  },
};

const asking = (file: string): readonly (readonly string[])[] => [
  ["list"],
  ["list", "--verbose"],
  ["list", "--json", "--limit", "1"],
  ["get", "7", "-v"],
  ["add", "--name", key, "--category", "1"],
  ["add", "--name", key, "--category", "1", "--json"],
  ["add", "--from", file, "-v"],
  ["add", "--from", file, "--json", "--again"],
  ["imports", "check"],
  ["status"],
  ["status", "--json"],
  ["limits", "--refresh"],
  ["store", "state"],
  ["login", "--profile", "other", "--base-url", "http://127.0.0.1:9/v1", "--json"],
];
/** Commands for which it does not matter what the service does. */
const local = (file: string): readonly (readonly string[])[] => [
  ["add", "--name", key, "--category", "1", "--dry-run", "--json"],
  ["add", "--from", file, "--dry-run", "-o", "csv"],
  ["add", "--from", key],
  ["imports"],
  ["imports", "show", "1", "--json"],
  ["profile", "show"],
  ["profile", "--json"],
  ["login", "--no-verify", "--profile", "other", "--base-url", "http://127.0.0.1:9/v1", "-v"],
  ["get", key],
  ["list", key],
  ["help", key],
  [key],
];

it.each(Object.keys(kinds))("no output, state or log has a key %s", async (kind) => {
  let mode: keyof typeof modes = "responds";
  const { baseUrl } = await startStranger((request, response, n) =>
    modes[mode === "responds" && request.method === "POST" ? "adds" : mode](request, response, n),
  );
  const own = temporaryFolder();
  const [file, keyFile] = [path.join(own, "pets.csv"), path.join(own, "key")];
  writeFileSync(file, `name,category\n${key},1\nRex,2\n`);
  writeFileSync(keyFile, key);
  const { profile, input, env: more, knows = /^/ } = kinds[kind]?.(baseUrl, keyFile) ?? {};
  const env = { ...cleanEnv(), ...more };
  const config = path.join(env.HOME ?? "", ".config/pets");
  const profiles = { current: "shop", profiles: { shop: profile } };
  mkdirSync(config, { recursive: true, mode: 0o700 });
  if (profile)
    writeFileSync(path.join(config, "config.json"), JSON.stringify(profiles), { mode: 0o600 });
  const how = { env, ...(input !== undefined && { input }) };
  const found: string[] = [];
  for (mode of Object.keys(modes) as (keyof typeof modes)[]) {
    const commands = mode === "moves" ? [...asking(file), ...local(file)] : asking(file);
    for (const args of commands.filter((words) => knows.test(words.join(" ")))) {
      const { stdout, stderr } = await runInTime(["--max-wait", "0", ...args], how);
      if (hasKey(stdout + stderr)) found.push(`${mode}: pets ${args.join(" ")}`);
    }
    const kept = filesBelow(env.HOME ?? "").filter((each) => !each.endsWith("config.json"));
    found.push(...kept.filter((each) => hasKey(readFileSync(each, "latin1"))));
  }
  expect(found).toEqual([]);
});

it("a key command's key that is typed as a name is masked when the service is down", async () => {
  const file = path.join(temporaryFolder(), "key");
  writeFileSync(file, key);
  const env = cleanEnv();
  const at = ["--base-url", "http://127.0.0.1:1/v1", "--profile", "shop"];
  const login = ["login", ...at, "--key-command", `cat ${file}`, "--no-verify"];
  expect(await runPets(login, { env })).toMatchObject({ code: 0 });
  const run = await runPets(["add", "--name", key, "--category", "1"], { env });
  expect(run).toMatchObject({ code: 6, stdout: "" });
  expect(run.stderr).toMatch(/^pets: adding …1234 \(category 1\): /m);
  expect(hasKey(run.stderr)).toBe(false);
});

const forms = [key, encodeURIComponent(key)];
const hasKey = (text: string): boolean => forms.some((form) => text.includes(form));

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((name) => statSync(name).isFile());
}
