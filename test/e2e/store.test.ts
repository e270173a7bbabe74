import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, finished, startPets } from "../support/program/program.ts";
import { serve, type Served } from "../support/servers/serve.ts";
import { startStranger } from "../support/servers/stranger.ts";

/** Serves a store; returns a function that runs `pets` with it. */
async function startStore(words: readonly string[] = ["--memory", "--seed", "3"]) {
  const served = await serve(words);
  return { ...served, env: envOf(served) };
}

function envOf({ ready }: Served): Record<string, string> {
  return { ...cleanEnv(), PETS_BASE_URL: ready.baseUrl, PETS_API_KEY: ready.apiKey };
}

/** Runs `pets store state` on the service at `baseUrl`. */
const at = (baseUrl: string, apiKey = "key-of-the-tests-1234") =>
  runInTime(["store", "state"], {
    env: { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey },
  });

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
    const paths = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).path);
    expect(paths).toEqual(["/v1/pets?limit=1", "/v1/pets?limit=2"]);
    expect(code).toBe(0);
  });
});

describe("pets store", () => {
  it.each([
    ["no JSON", "<html>", 7],
    ["no value of that kind", "null", 7],
    ["a list of other things", '[null,{"id":"\\u001b[31m"}]', 7],
    ["a response that is cut off", "[", 7],
  ])("says what is wrong when a service sends %s", async (_what, body, code) => {
    const { baseUrl } = await startStranger((_request, response) => {
      const headers = { "x-pets-store": "0123456789abcdef" };
      const isCut = body === "[";
      if (isCut) response.setHeader("content-length", 99);
      response.writeHead(200, headers);
      if (!isCut) response.end(body);
      else response.write(body, () => response.destroy());
    });
    const env = { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: "key-of-the-tests-1234" };
    for (const words of [["state"], ["requests"], ["requests", "--follow"], ["page"], ["reset"]]) {
      const run = await runInTime(["store", ...words], { env });
      expect([words, run.code, run.stdout]).toEqual([words, code, ""]);
      expect(run.stderr).toMatch(/^pets: (?:the (?:service|store) at )?127\.0\.0\.1:\d+ /);
      expect(run.stderr).not.toContain("\u001b");
    }
  });

  it("changes faults and resets, and prints what is in force", async () => {
    const { env } = await startStore();
    const run = async (...words: readonly string[]) =>
      (await runInTime(["store", ...words, "--json"], { env })).stdout;
    expect(JSON.parse(await run("faults", "500:1"))).toEqual({ fault: "500:1", latency: "0" });
    expect((await runInTime(["add", "--name", "Rex", "--category", "1"], { env })).code).toBe(8);
    expect(JSON.parse(await run("faults", "off"))).toEqual({ fault: "", latency: "0" });
    expect(JSON.parse(await run("reset"))).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
  });

  it("inspects a store without --lab, and names the flag if it is needed", async () => {
    const { env } = await startStore(["--seed", "3"]);
    expect(await runInTime(["store", "state"], { env })).toMatchObject({ code: 0 });
    const reset = await runInTime(["store", "reset"], { env });
    expect(reset).toMatchObject({ code: 4, stderr: expect.stringContaining("started with --lab") });
  });

  it("says that there is no store, and that only one on this machine can be asked", async () => {
    const down = await at("http://127.0.0.1:1/v1");
    expect(down.code).toBe(6);
    expect(down.stderr).toBe(
      "pets: 127.0.0.1:1 is unreachable: connection refused\n" +
        "Is the store running? Start it with `pets serve`.\n",
    );
    const remote = await at("https://store.invalid/v1");
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
    expect(await at(ready.baseUrl, "nobody")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        / rejected the API key … from PETS_API_KEY \(401\)\nCheck PETS_API_KEY, /,
      ),
    });
  });
});
