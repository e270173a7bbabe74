import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyId } from "../../src/server/keys.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, finished, startPets, temporaryFolder } from "../support/program/program.ts";
import { serve } from "../support/servers/serve.ts";
import { startTestStore } from "../support/servers/store.ts";
import { startStranger } from "../support/servers/stranger.ts";

describe("pets store requests", () => {
  it("with --follow prints the last ones and then each, a line of JSON, until the store stops", async () => {
    const { child, ready } = await serve(["--memory", "--seed", "3"]);
    const env = envFor(ready);
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

  it("with --follow ends with 4 when its key is revoked", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const { ready } = await serve(["--data", file]);
    const follower = startPets(["store", "requests", "--follow", "--json"], { env: envFor(ready) });
    const end = finished(follower);
    await runInTime(["list"], { env: envFor(ready) });
    await new Promise((resolve) => follower.stdout.once("data", resolve));
    await runInTime(["keys", "revoke", keyId(ready.apiKey), "--data", file]);
    expect(await end).toMatchObject({ code: 4, stderr: expect.stringContaining("key") });
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

  it.each([
    ["has no lab", ["reset"], {}, 4, /started with --lab/],
    ["has no page", ["page"], {}, 7, /^pets: the store at .* has no page\n.*--no-page/],
    [
      "refuses the key",
      ["state"],
      { PETS_API_KEY: "nobody" },
      4,
      / rejected the API key from PETS_API_KEY \(401\): invalid API key\nCheck PETS_API_KEY, /,
    ],
    [
      "is on another machine",
      ["state"],
      { PETS_BASE_URL: "https://store.invalid/v1" },
      6,
      /^pets: store\.invalid is unreachable: .*\nA local store can be inspected only on its own machine/,
    ],
  ])("says that a store %s", async (_what, words, more, code, says) => {
    const env = envFor(await startTestStore(), more);
    const run = await runInTime(["store", ...words], { env });
    expect(run).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(says) });
  });
});
