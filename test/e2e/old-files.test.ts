import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { startProxy } from "../support/servers/proxy.ts";
import { serve } from "../support/servers/serve.ts";
import { startStranger } from "../support/servers/stranger.ts";

const fixtures = path.resolve(import.meta.dirname, "../fixtures/old-files");

/** Copies a folder of the fixtures, readable only by its owner, as the program made it. */
function copyOf(name: string): string {
  const folder = path.join(temporaryFolder(), name);
  cpSync(path.join(fixtures, name), folder, { recursive: true, mode: 0 });
  return folder;
}

/** The service that the fixtures were made with: it has no animals. */
async function startShop() {
  const stranger = await startStranger((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end("[]");
  });
  const proxy = await startProxy(Number(new URL(stranger.baseUrl).port));
  onTestFinished(proxy.close);
  const env = {
    ...cleanEnv(),
    PETS_BASE_URL: "http://shop.example/v1",
    PETS_API_KEY: "key-of-the-old-files-1234",
    http_proxy: proxy.url,
  };
  return { requests: stranger.requests, env };
}

describe("profiles of an old version", () => {
  it("are listed, shown with their keys masked, and changed", async () => {
    const env = { ...cleanEnv(), XDG_CONFIG_HOME: copyOf("config") };
    const list = await runInTime(["profile", "list", "--json"], { env });
    expect(JSON.parse(list.stdout)).toEqual([
      { name: "default", baseUrl: "https://shop.example/v1", key: "…5678", current: false },
      { name: "staging", baseUrl: "http://127.0.0.1:4010/api/v1", key: "…90ab", current: true },
    ]);
    expect(await runInTime(["profile", "remove", "staging"], { env })).toMatchObject({ code: 0 });
    const show = await runInTime(["profile", "show", "default", "--json"], { env });
    expect(JSON.parse(show.stdout)).toMatchObject({ name: "default", key: "…5678" });
    expect(list.stdout + show.stdout).not.toContain("key-of");
  });

  it("give their key and base URL to a request", async () => {
    const { requests, env: shop } = await startShop();
    const config = copyOf("config");
    const file = path.join(config, "pets/config.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("https://shop", "http://shop"));
    const { PETS_API_KEY: _key, PETS_BASE_URL: _url, ...rest } = shop;
    const env = { ...rest, XDG_CONFIG_HOME: config };
    const run = await runInTime(["list", "--profile", "default", "--allow-http"], { env });
    expect(run).toMatchObject({ code: 0 });
    expect(requests.map(({ headers }) => [headers.host, headers.authorization])).toEqual([
      ["shop.example", "Bearer key-of-the-shop-5678"],
    ]);
  });
});

/** The animals of the data file, newest first, as they were written. */
const animals = [
  String.raw`{"id":4,"name":"Leo","categoryId":9007199254740993,"status":"pending"}`,
  String.raw`{"id":3,"name":"Ünal 猫 🐈 \"\\","categoryId":0,"status":"sold"}`,
  String.raw`{"id":2,"name":"Mia","categoryId":-9223372036854775808}`,
  String.raw`{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}`,
];

describe("a store's data file of an old version", () => {
  const first = "pets_RNi8tJC2ZVRQgd2NYhfHAJkFAJ2EXs43";
  const second = "pets_9GykmFKPOJIUJtP4nr4cgMvni6ltySnh";
  const revoked = "pets_5GEhwIredG89pKkfcE4fg6tUQTMQVWwc";

  it("is opened with every animal and every key", async () => {
    const file = path.join(copyOf("data"), "store.db");
    const env = cleanEnv();
    const keys = await runInTime(["keys", "list", "--json", "--data", file], { env });
    expect(JSON.parse(keys.stdout)).toEqual([
      {
        id: "1ebc16bea06c1817",
        plan: "3/min,100/day",
        createdAt: "2026-03-01T12:00:10.198Z",
        operator: false,
      },
      {
        id: "2e594ca6f36d9d2c",
        plan: "free",
        createdAt: "2026-03-01T12:00:10.198Z",
        operator: false,
      },
    ]);
    const { ready } = await serve(
      ["--data", file, "--lab", "--clock", "2026-03-01T12:00:20Z"],
      env,
    );
    const ask = (key: string): Promise<Response> =>
      fetch(`${ready.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    const list = await ask(first);
    expect(await list.text()).toBe(`[${animals.join(",")}]`);
    expect([(await ask(second)).status, (await ask(revoked)).status]).toEqual([200, 401]);
  });
});
