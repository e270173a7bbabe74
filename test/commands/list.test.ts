import { describe, expect, it } from "vitest";
import { storeEnv } from "../support/store-env.ts";
import { reply, startStranger } from "../support/stranger.ts";
import { runHere } from "../support/world.ts";

describe("pets list", () => {
  it.each([
    [["list", "--limit", "2"], /^Showing 2 animals; there may be more\. .*--limit 100/],
    [["list", "--limit", "1"], /^Showing 1 animal; there may be more\./],
    [["list", "--limit", "2", "--quiet"], /^$/],
    [["list", "--status", "sold"], /^$/],
    [["list", "--status", "sold", "--json"], /^$/],
  ])("%j says what there is to say", async (argv, says) => {
    const env = await storeEnv();
    const run = await runHere(argv, { env });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(says);
  });

  it("a service that sends more than was asked for has its animals counted", async () => {
    const pets = Array.from({ length: 3 }, (_, id) => ({ id, name: "Rex", categoryId: 1 }));
    const stranger = await startStranger(reply(200, JSON.stringify(pets)));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { stderr } = await runHere(["list", "--limit", "2"], { env });
    expect(stderr).toMatch(/^Showing 3 animals;/);
  });
});
