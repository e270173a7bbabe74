import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";
import { storeEnv } from "../support/servers/store-env.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

describe("pets list", () => {
  it.each([
    [20, [], /^Showing 20 animals; there may be more\. See up to 100 with `--limit 100`\.\n$/],
    [20, ["-o", "csv", "--status", "sold"], /^Showing 20 animals; .*--limit 100/],
    [20, ["--quiet"], /^$/],
    [19, [], /^$/],
    [20, ["--limit", "20"], /^$/],
    [99, ["--limit", "99"], /^$/],
    [99, ["--limit", "100"], /^$/],
    [100, ["--limit", "100"], /^Showing 100 animals, the most the service lists; .*--status/],
    [100, ["--limit", "100", "--status", "sold"], /^Showing 100 .*; there may be more\.\n$/],
    // The service ignores the limit.
    [23, [], /^Showing 23 animals; .*--limit 100/],
  ])("notes for %d animals with %j whether there may be more", async (count, options, says) => {
    const pets = Array.from({ length: count }, (_, id) => ({ id, name: "Rex", categoryId: 1 }));
    const stranger = await startStranger(reply(200, JSON.stringify(pets)));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { code, stderr } = await runHere(["list", ...options], { env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(says)]);
  });

  it.each([
    [[], {}, 2],
    [["-q"], {}, 0],
    [[], { PETS_NO_DEPRECATION: "1" }, 0],
  ])("notes a deprecation once a run, with %j and %j", async (options, more, notes) => {
    const headers = { deprecation: "@1", sunset: "soon".repeat(99) };
    const stranger = await startStranger(reply(200, "[]", headers));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl, ...more };
    const argv = ["list", "--json", ...options];
    const runs = [await runHere(argv, { env }), await runHere(argv, { env })];
    const line = `The service says that this request is deprecated (Deprecation: @1; Sunset: ${"soon".repeat(24)}soo…).`;
    expect(runs.map(({ stderr }) => stderr).join("")).toBe(`${line}\n`.repeat(notes));
  });
});
