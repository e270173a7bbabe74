import { copyFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { issueKeys } from "../../../src/commands/serve/issue-keys.ts";
import { readServeSettings } from "../../../src/commands/serve/settings.ts";
import { keyId, keyRecord } from "../../../src/server/keys.ts";
import { openKeys, openStorage } from "../../../src/server/storage/open.ts";
import { postgresAvailable, usePostgres } from "../../support/databases/postgres.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { profileTest } from "../profile-context.ts";

interface Start {
  /** The plans of `--plan`. */
  readonly plan?: readonly string[];
  /** PETS_SERVE_KEY. */
  readonly given?: string;
  /** The key in the profile. */
  readonly saved?: string | undefined;
}

/** The machine's time: whatever makes keys does so a second after what came before. */
let time = Date.UTC(2026, 10, 5, 12);
const now = () => (time += 1_000);

/** Does what a start does with the keys of the data at `place`; returns those that it shows, and what it said. */
async function start(place: string, { plan = [], given, saved }: Start = {}) {
  const { context: made, stderr } = profileTest({ env: { PETS_SERVE_KEY: given } });
  const context = { ...made, clock: { ...made.clock, now } };
  const settings = readServeSettings(context, [], { data: place, plan });
  const knownKeys = saved === undefined ? [] : [saved];
  const { storage } = await openStorage(place, Date.now);
  try {
    const known = { isOld: true, ownKey: saved, knownKeys };
    const issued = await issueKeys(context, storage, settings, known);
    const keys = issued.map(({ apiKey }) => apiKey);
    return { keys, first: keys[0] ?? "", said: stderr.text };
  } finally {
    await storage.close();
  }
}

/** Does something with the keys of the data, as `pets keys` does. */
async function withKeys<T>(
  place: string,
  use: (keys: Awaited<ReturnType<typeof openKeys>>) => Promise<T>,
): Promise<T> {
  const keys = await openKeys(place);
  return use(keys).finally(keys.close);
}

const revoke = (place: string, key = "") =>
  withKeys(place, async (keys) => expect(await keys.removeKey(keyId(key))).toBe(true));
const give = (place: string, key: string) =>
  withKeys(place, (keys) => keys.putKey(keyRecord(key, "business"), now()));

/** Returns the plan of each key that is valid, with a star if it is an operator's, oldest first. */
const listed = (place: string) =>
  withKeys(place, async (keys) => {
    const stored = await keys.listKeys();
    return stored.map(({ plan, isOperator }) => (isOperator ? `${plan}*` : plan));
  });

const two = { plan: ["free", "pro"] };

/** Shows what starts do with keys, whichever database has them. */
function issues(newPlace: () => string | Promise<string>): void {
  it("are the same at every start, one for each plan", async () => {
    const place = await newPlace();
    const plan = ["free", "pro", "pro"];
    const { keys, first } = await start(place, { plan });
    expect(new Set(keys).size).toBe(3);
    const again = () => start(place, { plan, saved: first });
    const same = { keys, first, said: "" };
    expect([await again(), await again()]).toEqual([same, same]);
    expect((await start(place, { saved: first })).keys).toEqual([first]);
    expect(await listed(place)).toEqual(["free*", "pro", "pro"]);
  });

  it("change their plan only if another one is given, which is said", async () => {
    const place = await newPlace();
    const { keys, first } = await start(place, two);
    const again = await start(place, { plan: ["free", "9/min"], saved: first });
    const id = keyId(keys[1] ?? "");
    expect(again).toMatchObject({
      keys,
      said: `The plan of key ${id} is now 9/min; it was pro.\n`,
    });
    expect(await listed(place)).toEqual(["free*", "9/min"]);
  });

  it("never come back once they are revoked: the next of their line follows", async () => {
    const place = await newPlace();
    const plan = ["free", "pro", "business"];
    const one = await start(place, { plan });
    const seen = [one.keys[1]];
    while (seen.length < 3) {
      await revoke(place, seen.at(-1));
      const next = await start(place, { plan, saved: one.first });
      const after = await start(place, { plan, saved: one.first });
      expect(after.keys).toEqual(next.keys);
      expect([next.keys[0], next.keys[2]]).toEqual([one.keys[0], one.keys[2]]);
      seen.push(next.keys[1]);
    }
    expect(new Set(seen).size).toBe(3);
    expect(await listed(place)).toEqual(["free*", "business", "pro"]);
  });

  it("go with the operator's key: each store on the data has its own, and keeps its right", async () => {
    const place = await newPlace();
    const [one, other] = [await start(place, two), await start(place, { ...two, given: "of-ci" })];
    expect(new Set([...one.keys, ...other.keys]).size).toBe(4);
    expect(await start(place, { ...two, saved: one.first })).toEqual({ ...one, said: "" });
    expect(await start(place, { ...two, given: "of-ci", saved: one.first })).toEqual(other);
    expect(await listed(place)).toEqual(["free*", "pro", "free*", "pro"]);
  });

  it("begin with a new one if the profile has one that is not an operator's", async () => {
    const place = await newPlace();
    const { keys } = await start(place, two);
    await give(place, "given-away");
    for (const saved of ["given-away", keys[1]]) {
      const next = await start(place, { plan: ["enterprise"], saved });
      expect(next.said).toBe("warning: the saved key is not an operator's\n");
      expect([...keys, "given-away"]).not.toContain(next.first);
    }
    const made = ["enterprise*", "enterprise*"];
    expect(await listed(place)).toEqual(["free*", "pro", "business", ...made]);
  });

  it("begin with PETS_SERVE_KEY, which stays without a right that it was not made with", async () => {
    const place = await newPlace();
    await start(place);
    await give(place, "given-away");
    expect(await start(place, { given: "given-away" })).toEqual({
      keys: ["given-away"],
      first: "given-away",
      said: "PETS_SERVE_KEY is not an operator's key: it does not open `/_store`.\n",
    });
    expect(await listed(place)).toEqual(["free*", "business"]);
  });

  it("leave out what was revoked, and say so", async () => {
    const place = await newPlace();
    const { first } = await start(place);
    await revoke(place, first);
    await expect(start(place, { ...two, given: first })).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringMatching(/^PETS_SERVE_KEY was revoked in /),
    });
    expect(await listed(place)).toEqual([]);
    const next = await start(place, { saved: first });
    expect(next.said).toBe("warning: the saved key was revoked\n");
    expect([next.first === first, await listed(place)]).toEqual([false, ["free*"]]);
  });
}

const newFile = () => path.join(temporaryFolder(), "store.db");

describe("the keys of a data file", () => {
  issues(newFile);

  it("are those of its copy too", async () => {
    const file = newFile();
    const { keys, first } = await start(file, two);
    copyFileSync(file, `${file}-copy`);
    expect((await start(`${file}-copy`, { ...two, saved: first })).keys).toEqual(keys);
  });
});

describe.skipIf(!postgresAvailable)("the keys of a database", () => {
  const server = usePostgres();
  issues(() => server.createDatabase());

  it("are made once by stores that start at once with the same key", async () => {
    const url = await server.createDatabase();
    await start(url);
    const starts = await Promise.all([1, 2, 3].map(() => start(url, { ...two, given: "of-ci" })));
    for (const { keys, said } of starts) expect([keys, said]).toEqual([starts[0]?.keys, ""]);
    expect(await listed(url)).toEqual(["free*", "free*", "pro"]);
  });
});
