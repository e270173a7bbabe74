import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeMachine } from "../../src/platform/machine.ts";
import {
  cleanEnv,
  finished,
  runPets,
  startPets,
  temporaryFolder,
} from "../support/program/program.ts";
import { freePort } from "../support/servers/free-port.ts";
import type { Ready } from "../support/servers/serve.ts";

/** Starts a store in the background; it is killed when the test ends. */
async function detach(words: readonly string[], env = cleanEnv()) {
  const run = await runPets(["serve", "--json", "--detach", "--port", "0", ...words], { env });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) });
  const ready: Ready = JSON.parse(run.stdout);
  onTestFinished(() => {
    if (machine.isAlive(ready.pid)) process.kill(ready.pid, "SIGKILL");
  });
  const { port } = new URL(ready.baseUrl);
  const state = path.join(env.HOME ?? "", ".local/state/pets");
  return { ...run, ready, env, state, log: path.join(state, `serve-${port}.log`) };
}

// A process that has ended may wait for its parent to notice.
const machine = makeMachine(process, () => 0);

const ask = ({ baseUrl, apiKey }: Ready, target = "/v1/pets", method = "GET") =>
  fetch(new URL(target, baseUrl), { method, headers: { authorization: `Bearer ${apiKey}` } });

describe("pets serve --detach", () => {
  it("returns once the store answers, and names its log", async () => {
    const { ready, stderr, log } = await detach(["--memory", "--verbose"]);
    expect((await ask(ready)).status).toBe(200);
    const name = `local-${new URL(ready.baseUrl).port}`;
    expect(stderr).toContain(`Saved base URL and key as profile ${name}, now the current one.\n`);
    expect(stderr).toContain(
      `Stop it with \`pets store stop --profile ${name}\`. Its log is ${log}.\n`,
    );
    expect(statSync(log).mode & 0o777).toBe(0o600);
    await expect
      .poll(() => readFileSync(log, "utf8"))
      .toMatch(/^\S+ 127\.0\.0\.1 \w{16} GET \/v1\/pets 200 /);
    process.kill(ready.pid, "SIGTERM");
    await expect.poll(() => machine.isAlive(ready.pid)).toBe(false);
    expect(existsSync(log)).toBe(true);
  });

  it("says that the store runs exactly if it does, whenever it is interrupted", async () => {
    const ends: unknown[] = [];
    const port = String(await freePort());
    const address = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "", pid: 0 };
    for (const ms of [60, 90, 110, 130, 150, 170, 190, 220]) {
      const words = ["serve", "--json", "--detach", "--port", port, "--memory", "--no-profile"];
      const child = startPets(words);
      const end = finished(child);
      await delay(ms);
      child.kill(ms % 20 === 0 ? "SIGINT" : "SIGTERM");
      const { stdout, code } = await end;
      if (stdout === "") {
        const isDown = await ask(address as Ready).then(
          () => false,
          () => true,
        );
        ends.push(code >= 128 && isDown);
      } else {
        const ready: Ready = JSON.parse(stdout);
        ends.push((await ask(ready)).status === 200);
        process.kill(ready.pid, "SIGKILL");
        while (machine.isAlive(ready.pid)) await delay(5);
      }
    }
    expect(ends).toEqual(ends.map(() => true));
  });

  it("prints the store's own error, with its code, and leaves nothing", async () => {
    const { ready, env, state } = await detach(["--memory"]);
    const { port } = new URL(ready.baseUrl);
    const taken = await runPets(["serve", "--memory", "--detach", "--port", port], { env });
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr.startsWith(`pets: port ${port} on 127.0.0.1 is in use\n`)).toBe(true);
    const odd = await runPets(["serve", "--detach", "--plan", "gold"], { env });
    expect(odd.code).toBe(2);
    expect(readdirSync(state).filter((name) => name.startsWith("serve-"))).toHaveLength(1);
  });

  it("leaves no process, profile or file, however often it is started and stopped", async () => {
    const env = cleanEnv();
    for (let round = 0; round < 3; round += 1) {
      const { ready } = await detach(["--memory"], env);
      expect(await runPets(["store", "stop"], { env })).toMatchObject({ code: 0 });
      expect(machine.isAlive(ready.pid)).toBe(false);
      await expect(ask(ready)).rejects.toThrow("fetch failed");
    }
    const entries = readdirSync(env.HOME ?? "", { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toEqual(["config.json", "config.lock"]);
    const text = readFileSync(path.join(env.HOME ?? "", ".config/pets/config.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ profiles: {} });
  });

  it("writes a report when the store stops, and tells the verdict at any time", async () => {
    const report = path.join(temporaryFolder(), "report.json");
    const { ready, env } = await detach(["--memory", "--check", "--report", report]);
    await ask(ready);
    const kept = { requests: { 200: 1 }, early: 0, bans: 0, duplicates: [], abandoned: 0 };
    const verdict = { ...kept, outside: { "GET /pets": 1 }, parameters: {}, malformed: {} };
    await ask(ready, "/pets");
    const check = await runPets(["store", "check", "--json"], { env });
    expect(check).toMatchObject({ code: 0, stdout: `${JSON.stringify(verdict)}\n` });
    await ask(ready, "/_store/reset", "POST");
    expect(await (await ask(ready, "/_store/check")).json()).toEqual({
      ...verdict,
      requests: {},
      outside: {},
    });
    await ask(ready, "/_store/stop", "POST");
    await expect.poll(() => readFileSync(report, "utf8")).toBe(`${JSON.stringify(verdict)}\n`);
  });
});

describe("--write-env", () => {
  it("appends what $GITHUB_ENV and docker --env-file read", async () => {
    const file = path.join(temporaryFolder(), "env");
    const { ready } = await detach(["--memory", "--write-env", file]);
    const lines = `PETS_BASE_URL=${ready.baseUrl}\nPETS_API_KEY=${ready.apiKey}\n`;
    expect(readFileSync(file, "utf8")).toBe(lines);
  });

  it("has the key that --quiet does not print", async () => {
    const file = path.join(temporaryFolder(), "env");
    const words = ["--memory", "--port", "0", "--detach", "--no-profile", "--write-env", file];
    const { stdout, stderr } = await runPets(["serve", ...words, "--quiet"]);
    const [, baseUrl = "", key = ""] =
      /_URL=(.*)\nPETS_API_KEY=(.*)\n/.exec(readFileSync(file, "utf8")) ?? [];
    const env = { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: key };
    expect(await runPets(["store", "stop"], { env })).toMatchObject({ code: 0 });
    expect(key).toMatch(/^pets_/);
    expect(stdout + stderr).not.toContain(key);
    expect(stdout).toContain(`Key   …${key.slice(-4)} in ${file} (id `);
    expect(stdout).toContain(
      `Try   PETS_BASE_URL=${baseUrl} PETS_API_KEY="$PETS_API_KEY" pets list\n`,
    );
  });

  it("is opened before the store starts", async () => {
    const folder = temporaryFolder();
    const words = ["--memory", "--port", "0", "--detach", "--write-env", folder];
    const run = await runPets(["serve", ...words]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(`pets: ${folder} cannot be written`);
  });
});

it("stops no store that runs in a terminal or in a job", async () => {
  const run = await runPets(["serve", "--", "pets", "store", "stop"]);
  const why = "the store was not started with --detach: stop it where it runs";
  expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining(why) });
});
