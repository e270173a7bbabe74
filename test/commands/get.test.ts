import { describe, expect, it } from "vitest";
import { fakeClock } from "../support/command/terminal.ts";
import { runHere } from "../support/command/world.ts";
import { temporaryFolder } from "../support/program/program.ts";
import { storeEnv } from "../support/servers/store-env.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

describe("pets get", () => {
  it("notes the removal once a day, but not with -q or PETS_NO_DEPRECATION", async () => {
    const env = { ...(await storeEnv()), HOME: temporaryFolder() };
    const clock = fakeClock();
    const get = async (args: readonly string[] = [], more: Record<string, string> = {}) =>
      (await runHere(["get", "1", ...args], { env: { ...env, ...more }, clock })).stderr;
    expect(await get(["-q"])).toBe("");
    expect(await get([], { PETS_NO_DEPRECATION: "1" })).toBe("");
    expect(await get([], { PETS_NO_DEPRECATION: "0" })).toBe(
      "pets get is deprecated: the service removes single-animal lookup on 5 December 2030. After that, pets get searches the newest 100 animals and the newest 100 of each status.\n",
    );
    expect(await get()).toBe("");
    await clock.sleep(24 * 3_600_000, new AbortController().signal);
    expect(await get()).toMatch(/5 December 2030/);
  });

  it("does not note a search if the lists are missing too", async () => {
    const stranger = await startStranger(reply(404, "<html>"));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { code, stderr } = await runHere(["get", "1"], { env });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/Check the base URL/)]);
    expect(stderr).not.toContain("no longer returns");
  });

  it("notes the search instead once it searches", async () => {
    const rex = '[{"id":1,"name":"Rex","categoryId":2}]';
    const gone = await startStranger(({ url }, response) => {
      response.writeHead(url === "/v1/pets/1" ? 410 : 200).end(rex);
    });
    const env = { ...(await storeEnv()), PETS_BASE_URL: gone.baseUrl, HOME: temporaryFolder() };
    const { code, stderr } = await runHere(["get", "1"], { env });
    expect([code, stderr]).toEqual([
      0,
      "The service no longer returns single animals: pets get searches the newest 100 animals and the newest 100 of each status.\n",
    ]);
    expect((await runHere(["get", "1"], { env })).stderr).toBe("");
  });

  it("notes the removal before an error, which is the last line", async () => {
    const stranger = await startStranger(reply(404, errorBody(404, "not_found", "none")));
    const env = { ...(await storeEnv()), PETS_BASE_URL: stranger.baseUrl };
    const { code, stderr } = await runHere(["get", "1", "--json"], { env });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^pets get is .*\n\{"error":.*\}\n$/);
  });
});
