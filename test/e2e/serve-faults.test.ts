import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { type Ready, serve } from "../support/servers/serve.ts";

/** Sends one request; `target` begins at the root. */
function ask(
  { baseUrl, apiKey }: Pick<Ready, "baseUrl" | "apiKey">,
  method: string,
  target: string,
  body: string | null = null,
) {
  const headers = { authorization: `Bearer ${apiKey}` };
  return fetch(new URL(target, baseUrl), { method, headers, body });
}

describe("a command on a store that misbehaves", () => {
  const add = ["add", "--name", "Rex", "--category", "1"];

  it.each([
    ["429:1", ["list", "--max-wait", "0"], 5],
    ["reset:1", add, 8],
    ["hang:0", add, 0],
  ])("--fault %s: pets %j exits with %d", async (fault, words, code) => {
    const run = await runPets(["serve", "--fault", fault, "--", "pets", ...words]);
    expect(run.code).toBe(code);
  });

  it("succeeds if the client waits and retries", async () => {
    const words = ["serve", "--seed", "5", "--fault", "429:0.3,500:0.2", "--fault-seed", "5"];
    const list = "pets list -o ndjson --limit 1 >/dev/null || exit 1";
    const state =
      'fetch(new URL("/_store/state", process.env.PETS_BASE_URL), { headers: { authorization: "Bearer " + process.env.PETS_API_KEY } }).then((r) => r.text()).then(console.log)';
    const command = `for n in 1 2 3 4; do ${list}; done; "$NODE" -e '${state}'`;
    const env = { ...cleanEnv(), NODE: process.execPath };
    const run = await runPets([...words, "--", "sh", "-c", command], { env });
    const counts = JSON.parse(run.stdout);
    expect(run.code).toBe(0);
    expect(counts).toMatchObject({ pets: 5, early: 0, bans: 0, requests: { 200: 4 } });
    expect(counts.requests[429]).toBeGreaterThan(0);
    expect(counts.requests[500]).toBeGreaterThan(0);
  });
});

it("pets serve --lab resets a file to its seed too, also for the next start", async () => {
  const words = ["--data", path.join(temporaryFolder(), "store.db"), "--seed", "3"];
  const first = await serve([...words, "--lab", "--plan", "1/min,2/day"]);
  await ask(first.ready, "POST", "/v1/pets", '{"name":"Rex","categoryId":1}');
  expect((await ask(first.ready, "GET", "/v1/pets")).status).toBe(429);
  const reset = await ask(first.ready, "POST", "/_store/reset");
  expect(await reset.json()).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  const second = await serve([...words, "-q"]);
  const { apiKey } = first.ready;
  const list = await ask({ ...second.ready, apiKey }, "GET", "/v1/pets");
  expect(list.status).toBe(200);
  expect(await list.json()).toHaveLength(3);
});
