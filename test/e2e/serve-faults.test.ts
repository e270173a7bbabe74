import { describe, expect, it } from "vitest";
import { cleanEnv, runPets } from "../support/program/program.ts";

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
