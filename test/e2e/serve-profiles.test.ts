import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { type Served, serve } from "../support/servers/serve.ts";

type Env = Record<string, string>;

/** Returns the profiles by name: base URL and whether each is current. */
async function profiles(env: Env): Promise<Record<string, { baseUrl: string; current: boolean }>> {
  const { stdout } = await runInTime(["profile", "--json"], { env });
  const records: { name: string; baseUrl: string; current: boolean }[] = JSON.parse(stdout);
  return Object.fromEntries(records.map((record) => [record.name, record]));
}

const stop = ({ child, ended }: Served): Promise<number | null> => {
  child.kill("SIGTERM");
  return ended;
};

const login = (env: Env, name: string) =>
  runInTime(["login", "--no-verify", "--profile", name, "--base-url", "https://shop.example/v1"], {
    env,
    input: "key-of-the-shop-1",
  });

/** Returns the name of the profile of a store on a port that the system picked. */
const nameOf = ({ ready }: Served): string => `local-${new URL(ready.baseUrl).port}`;

describe("pets serve saves a profile", () => {
  it("named by its port, which goes with a store in memory", async () => {
    const env = cleanEnv();
    const [first, second] = [await serve(["--memory"], env), await serve(["--memory"], env)];
    expect(first.told()).toBe(
      `Saved base URL and key as profile ${nameOf(first)}, now the current one.\n`,
    );
    expect(second.told()).toBe(`Saved base URL and key as profile ${nameOf(second)}.\n`);
    const list = ["list", "--profile", nameOf(second)];
    expect(await runInTime(list, { env })).toMatchObject({ code: 0, stdout: "" });
    await stop(first);
    expect(Object.keys(await profiles(env))).toEqual([nameOf(second)]);
  });

  it("named by --profile, and keeps its key for the same data", async () => {
    const env = cleanEnv();
    await login(env, "shop");
    const words = ["--data", path.join(temporaryFolder(), "demo.db"), "--profile", "demo"];
    const first = await serve(words, env);
    expect(first.told()).toBe("Saved base URL and key as profile demo.\n");
    await stop(first);
    const second = await serve(words, env);
    expect(second.ready.apiKey).toBe(first.ready.apiKey);
    await stop(second);
    // Whatever the profile is called, a known key is not replaced by a new one.
    const third = await serve([...words.slice(0, 2), "--profile", "again"], env);
    expect(third.ready.apiKey).toBe(first.ready.apiKey);
    expect(Object.keys(await profiles(env))).toEqual(["again", "demo", "shop"]);
  });
});
