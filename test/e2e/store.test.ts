import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { envFor, finished, startPets } from "../support/program/program.ts";
import { serve } from "../support/servers/serve.ts";
import { startStranger } from "../support/servers/stranger.ts";

/** Serves a store; returns the environment of its clients as well. */
async function startStore(words: readonly string[] = ["--memory", "--seed", "3"]) {
  const served = await serve(words);
  return { ...served, env: envFor(served.ready) };
}

describe("pets store requests", () => {
  it("with --follow prints the last ones and then each, a line of JSON, until the store stops", async () => {
    const { child, env } = await startStore();
    await runInTime(["list", "--limit", "1"], { env });
    const follower = startPets(["store", "requests", "--follow", "--json"], { env });
    const end = finished(follower);
    await new Promise((resolve) => follower.stdout.once("data", resolve));
    const seen = new Promise((resolve) => follower.stdout.once("data", resolve));
    await runInTime(["list", "--limit", "2"], { env });
    await seen;
    child.kill("SIGTERM");
    const { code, stdout } = await end;
    const paths = stdout.match(/(?<="path":)"[^"]+"/g);
    expect(paths).toEqual(['"/v1/pets?limit=1"', '"/v1/pets?limit=2"']);
    expect(code).toBe(0);
  });
});

describe("pets store", () => {
  it.each([
    ["no value of that kind", "null"],
    ["a list of other things", '[null,{"id":"\\u001b[31m"}]'],
    ["a response that is cut off", "["],
  ])("says what is wrong when a service sends %s", async (_what, body) => {
    const { baseUrl } = await startStranger((_request, response) => {
      const cut = body === "[" && { "content-length": 99 };
      response.writeHead(200, { "x-pets-store": "0123456789abcdef", ...cut });
      response.write(body, () => (cut ? response.destroy() : response.end()));
    });
    const env = envFor({ baseUrl });
    for (const words of [["state"], ["requests"], ["requests", "--follow"], ["page"], ["reset"]]) {
      const run = await runInTime(["store", ...words], { env });
      expect([words, run.code, run.stdout]).toEqual([words, 7, ""]);
      expect(run.stderr).toMatch(/^pets: (?:the (?:service|store) at )?127\.0\.0\.1:\d+ /);
      expect(run.stderr).not.toContain("\u001b");
    }
  });

  it("inspects a store without --lab, and names the flag if it is needed", async () => {
    const { env } = await startStore(["--seed", "3"]);
    expect(await runInTime(["store", "state"], { env })).toMatchObject({ code: 0 });
    const reset = await runInTime(["store", "reset"], { env });
    expect(reset).toMatchObject({ code: 4, stderr: expect.stringContaining("started with --lab") });
  });

  it("says that only a store on this machine can be asked", async () => {
    const env = envFor({ baseUrl: "https://store.invalid/v1" });
    const remote = await runInTime(["store", "state"], { env });
    expect(remote.code).toBe(6);
    expect(remote.stderr).toMatch(
      /^pets: store\.invalid is unreachable: .*\nA local store can be inspected only on its own machine/,
    );
  });

  it("says when a store has no page", async () => {
    const { env } = await startStore(["--memory", "--no-page"]);
    expect(await runInTime(["store", "page"], { env })).toMatchObject({
      code: 7,
      stdout: "",
      stderr: expect.stringMatching(/^pets: the store at .* has no page\n.*--no-page/),
    });
  });

  it("says when a store refuses the key", async () => {
    const { ready } = await startStore();
    const env = envFor({ ...ready, apiKey: "nobody" });
    expect(await runInTime(["store", "state"], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        / rejected the API key … from PETS_API_KEY \(401\)\nCheck PETS_API_KEY, /,
      ),
    });
  });
});
