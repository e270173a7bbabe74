import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";
import { temporaryFolder } from "../support/program/program.ts";
import { errorBody, reply, startStranger } from "../support/servers/stranger.ts";

const key = "key-of-the-tests-1234";
const envOf = (baseUrl: string) => ({ PETS_BASE_URL: baseUrl, PETS_API_KEY: key });
const limits = {
  "x-ratelimit-limit": "60",
  "x-ratelimit-remaining": "42",
  "x-ratelimit-reset": "30",
};

describe("pets status", () => {
  it("reports what would be used, and that it works", async () => {
    const { baseUrl, requests } = await startStranger(reply(200, "[]", limits));
    const { code, stdout, stderr } = await runHere(["status", "--json"], { env: envOf(baseUrl) });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      exitCode: 0,
      baseUrl,
      baseUrlFrom: "PETS_BASE_URL",
      key: "…1234",
      keyFrom: "PETS_API_KEY",
      answered: true,
      status: 200,
      keyAccepted: true,
      limit: 60,
      remaining: 42,
      version: "1.2.3",
    });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /v1/pets?limit=1"]);
  });

  it.each<[what: string, code: number, answer: Parameters<typeof reply>]>([
    ["a refused key", 4, [401, errorBody(401, "unauthorized", "no such key")]],
    ["a limit", 5, [429, "", { "retry-after": "600" }]],
    ["a limit with a short wait", 5, [429, "", { "retry-after": "1" }]],
    ["trouble", 7, [503, ""]],
    ["no JSON", 7, [200, "<html>"]],
  ])("reports %s after one request, with exit code %d", async (_what, code, answer) => {
    const { baseUrl, requests } = await startStranger(reply(...answer));
    const run = await runHere(["status", "--json"], { env: envOf(baseUrl) });
    const { problem, keyAccepted, ...report } = JSON.parse(run.stdout);
    expect(run.code).toBe(code);
    expect(report).toMatchObject({ exitCode: code, ok: false, status: answer[0] });
    expect(keyAccepted).toBe(code === 4 ? false : undefined);
    expect(JSON.parse(run.stderr).error.message).toBe(problem);
    expect(requests).toHaveLength(1);
  });

  it("names the proxy that it used, without its password, also when that fails", async () => {
    const env = { ...envOf("https://pets.example/v1"), https_proxy: "http://u:secret@127.0.0.1:1" };
    const { stdout } = await runHere(["status"], { env });
    expect(stdout).toMatch(/^Proxy +http:\/\/127\.0\.0\.1:1 \(https_proxy\)$/m);
    expect(stdout).toContain("the proxy http://127.0.0.1:1 (https_proxy) is unreachable");
    expect(stdout).not.toContain("secret");
  });

  it.each([
    ["600", []],
    ["3", ["--max-wait", "0"]],
  ])("reports a wait of %s s that is in force, and sends nothing, with %j", async (wait, flags) => {
    const { baseUrl, requests } = await startStranger(reply(429, "", { "retry-after": wait }));
    const all = { env: { ...envOf(baseUrl), XDG_STATE_HOME: temporaryFolder() } };
    await runHere(["list", "--max-wait", "0"], all);
    const { code, stdout } = await runHere(["status", ...flags], all);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Service +not tested$/m);
    expect(stdout).toMatch(/^Limits +Waiting until .*: the service refused a request \(429\)\.$/m);
    expect(requests).toHaveLength(1);
  });

  it("reports a service that can't be reached", async () => {
    const env = envOf("http://127.0.0.1:1/v1");
    const { code, stdout, stderr } = await runHere(["status"], { env });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^Service +127\.0\.0\.1:\d+ is unreachable: connection refused/m);
    expect(stderr).toContain("Is the store running? Start it with `pets serve`.");
  });

  it.each<[args: string, code: number, env: Record<string, string>, line: RegExp]>([
    ["", 4, {}, /^Key +none$/m],
    [" --profile ghost", 2, {}, /^Profile +ghost \(--profile\)$/m],
    [" --base-url https://a.example", 4, {}, /^Base URL +https:\/\/a\.example \(--base-url\)$/m],
    ["", 2, { PETS_API_KEY: key }, /^Key +…1234 \(PETS_API_KEY\)$/m],
  ])("reports with%s what a request would need, with exit %i", async (args, code, env, line) => {
    const run = await runHere(`status${args}`.split(" "), { env });
    expect(run.code).toBe(code);
    expect(run.stdout).toMatch(line);
    expect(run.stdout).toMatch(/^Service +not tested$/m);
    expect(run.stderr).toMatch(/^pets: /);
  });

  it("shows only the requested fields", async () => {
    const { stdout } = await runHere(["status", "--fields", "ok,exitCode", "-o", "csv"]);
    expect(stdout).toBe("ok,exitCode\r\nfalse,4\r\n");
  });
});
