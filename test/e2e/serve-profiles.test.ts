import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
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

describe("pets serve saves a profile", () => {
  it("called local, unless a running store uses it, and takes it back afterwards", async () => {
    const env = cleanEnv();
    const first = await serve(["--memory"], env);
    expect(first.told()).toBe("Saved base URL and key as profile local, now the current one.\n");
    const second = await serve(["--memory"], env);
    const { port } = new URL(second.ready.baseUrl);
    expect(second.told()).toBe(`Saved base URL and key as profile local-${port}.\n`);
    expect(await profiles(env)).toMatchObject({
      local: { baseUrl: first.ready.baseUrl, current: true },
      [`local-${port}`]: { baseUrl: second.ready.baseUrl },
    });
    const list = ["list", "--profile", `local-${port}`];
    expect(await runInTime(list, { env })).toMatchObject({ code: 0, stdout: "" });
    await stop(first);
    const third = await serve(["--memory"], env);
    expect(third.told()).toBe("Saved base URL and key as profile local, now the current one.\n");
    expect(await profiles(env)).toMatchObject({ local: { baseUrl: third.ready.baseUrl } });
  });

  it("named by --profile, and keeps its key for the same data", async () => {
    const env = cleanEnv();
    await login(env, "shop");
    const words = ["--data", path.join(temporaryFolder(), "demo.db"), "--profile", "demo"];
    const first = await serve(words, env);
    expect(first.told()).toBe("Saved base URL and key as profile demo.\n");
    await stop(first);
    const elsewhere = await serve(["--memory"], env);
    expect(elsewhere.told()).toBe("Saved base URL and key as profile local.\n");
    const second = await serve(words, env);
    expect(second.ready.apiKey).toBe(first.ready.apiKey);
    expect(Object.keys(await profiles(env))).toEqual(["demo", "local", "shop"]);
    await stop(second);
    // Whatever the profile is called, a known key is not replaced by a new one.
    const third = await serve([...words.slice(0, 2), "--profile", "again"], env);
    expect(third.ready.apiKey).toBe(first.ready.apiKey);
  });

  it("says nothing when the same store is started again", async () => {
    const env = cleanEnv();
    const port = String(await freePort());
    await stop(await serve(["--port", port], env));
    const again = await serve(["--port", port], env);
    expect(again.told()).toBe("");
  });

  it("and never replaces one that it did not create", async () => {
    const env = cleanEnv();
    await login(env, "shop");
    const refused = await runInTime(["serve", "--memory", "--port", "0", "--profile", "shop"], {
      env,
    });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("did not make profile shop");
    await login(env, "local");
    const { ready, told } = await serve(["--memory"], env);
    const { port } = new URL(ready.baseUrl);
    expect(told()).toBe(`Saved base URL and key as profile local-${port}.\n`);
    expect(await profiles(env)).toMatchObject({ local: { baseUrl: "https://shop.example/v1" } });
  });

  it("which belongs to the user after a login", async () => {
    const env = cleanEnv();
    await stop(await serve(["--memory"], env));
    await login(env, "local");
    await serve(["--memory"], env);
    expect(await profiles(env)).toMatchObject({ local: { baseUrl: "https://shop.example/v1" } });
  });

  it("one for each of several that start at once", async () => {
    const env = cleanEnv();
    const stores = await Promise.all([1, 2, 3].map(() => serve(["--memory"], env)));
    const saved = Object.values(await profiles(env)).map(({ baseUrl }) => baseUrl);
    expect(saved.toSorted()).toEqual(stores.map(({ ready }) => ready.baseUrl).toSorted());
  });
});
