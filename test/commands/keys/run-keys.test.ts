import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { keys } from "../../../src/commands/keys/command.ts";
import { keyRecord } from "../../../src/server/keys.ts";
import { recordOutput, withoutSequences } from "../../support/command/terminal.ts";
import { fileStorage } from "../../support/databases/data-file.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { profileTest, type ProfileTestOptions } from "../profile-context.ts";

const at = Date.UTC(2026, 10, 1, 12);
const apiKey = "pets_0123456789abcdefghijklmnopqrstuv";
const { id } = keyRecord(apiKey, "pro");

/** Returns a store's file that contains a key and that no process serves. */
async function dataWithKey(): Promise<string> {
  const file = path.join(temporaryFolder(), "store.db");
  const storage = fileStorage(file);
  await storage.putKey(keyRecord(apiKey, "pro", true), at);
  await storage.close();
  return file;
}

/** Returns the plans of the keys in a file, oldest first. */
async function plansIn(file: string): Promise<string[]> {
  const storage = fileStorage(file);
  const stored = await storage.listKeys();
  await storage.close();
  return stored.map(({ plan }) => plan);
}

/** Returns what runs `pets keys` on the data in a file, and what is printed. */
function keysOf(data: string, options: ProfileTestOptions = {}) {
  const { run, stdout, stderr } = profileTest({ env: { TZ: "UTC" }, ...options });
  return { run: (...words: string[]) => run(keys, ...words, "--data", data), stdout, stderr };
}

describe("pets keys list", () => {
  it("prints id, plan and time of each key, and whose it is, but no key", async () => {
    const data = await dataWithKey();
    const { run, stdout, stderr } = keysOf(data, { globals: { output: "tsv" } });
    await run("list");
    expect(stdout.text).toBe(
      `id\tplan\tcreatedAt\toperator\n${id}\tpro\t2026-11-01T12:00:00.000Z\ttrue\n`,
    );
    expect(stderr.text).toBe("");
  });

  it.each([
    ["Europe/Berlin", "2026-11-01 13:00  true"],
    ["Mars/Olympus", "2026-11-01 12:00 UTC  true"],
  ])("prints times for people in the zone %s", async (zone, text) => {
    vi.stubEnv("TZ", zone);
    const { run, stdout } = keysOf(await dataWithKey());
    await run("list");
    vi.unstubAllEnvs();
    expect(stdout.text).toContain(text);
  });

  it.each([
    [{}, "", "No keys. Create one with `pets keys add`.\n"],
    [{ json: true }, "[]\n", ""],
  ])("with %j says that there are none", async (globals, printed, noted) => {
    const data = await dataWithKey();
    await keysOf(data).run("revoke", id);
    const { run, stdout, stderr } = keysOf(data, { globals });
    await run("list");
    expect([stdout.text, stderr.text]).toEqual([printed, noted]);
  });
});

describe("pets keys add", () => {
  it("makes a key of the free plan, and prints it once", async () => {
    const data = await dataWithKey();
    const { run, stdout, stderr } = keysOf(data, { globals: { json: true } });
    await run("add");
    const made = JSON.parse(stdout.text);
    expect(made).toMatchObject({ plan: "free", id: keyRecord(made.apiKey, "").id });
    expect([await plansIn(data), stderr.text]).toEqual([["pro", "free"], ""]);
  });

  it("shows a key and its id whole on a terminal of 40 columns", async () => {
    const stdout = recordOutput({ isTTY: true, columns: 40 });
    const { run } = keysOf(await dataWithKey(), { runtime: { stdout } });
    await run("add", "--plan", "2147483646/min,9/day");
    expect(withoutSequences(stdout.text)).toMatch(/^pets_\w{32} +[0-9a-f]{16} /m);
  });

  it("says in a table that it is not shown again", async () => {
    const { run, stderr } = keysOf(await dataWithKey());
    await run("add");
    expect(stderr.text).toBe("Save it now: it won't be shown again.\n");
  });

  it.each([
    [{ quiet: true }, /^pets_[\w-]+\n$/],
    [{ quiet: true, output: "csv" }, /^apiKey,id,plan,createdAt\r\npets_/],
  ])("with %j prints %s", async (globals, text) => {
    const { run, stdout } = keysOf(await dataWithKey(), { globals });
    await run("add");
    expect(stdout.text).toMatch(text);
  });

  it.each([
    [{ fields: "id,plan" }, [], "--fields must include apiKey"],
    [{ fields: "key" }, [], "unknown field"],
    [{}, ["--plan", "huge"], "--plan"],
  ])("makes no key with %j and %j", async (globals, flags, message) => {
    const data = await dataWithKey();
    const added = keysOf(data, { globals }).run("add", ...flags);
    await expect(added).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(message),
    });
    expect(await plansIn(data)).toEqual(["pro"]);
  });
});

describe("pets keys revoke", () => {
  it.each([
    ["by its id", id, ""],
    ["by the key on standard input", "-", `${apiKey}\n`],
  ])("makes a key invalid %s", async (_how, idOrDash, input) => {
    const data = await dataWithKey();
    const { run, stderr } = keysOf(data, { input });
    await run("revoke", idOrDash);
    expect([await plansIn(data), stderr.text]).toEqual([[], `Revoked key ${id}.\n`]);
  });

  it.each<[string, string, boolean]>([
    ["00ff", 'no key with the id "00ff"', true],
    ["0".repeat(17), 'no key with the id "…0000"', false],
    [apiKey, 'no key with the id "…stuv"', false],
  ])("ends with exit 5 for %s: %s, an id: %s", async (given, message, isId) => {
    const revoked = keysOf(await dataWithKey()).run("revoke", given);
    const byKey = "To revoke a key itself, pass it on standard input: `pets keys revoke -`.";
    await expect(revoked).rejects.toMatchObject({
      kind: "not_found",
      message,
      hints: ["See `pets keys list`.", ...(isId ? [] : [byKey])],
    });
  });
});
