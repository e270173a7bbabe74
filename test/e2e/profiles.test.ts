import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { modeOf } from "../config/support/profile-store.ts";
import { runInTime } from "../support/command/world.ts";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import { cleanEnv, finished, script, startPets, runPets } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { smallDisk } from "../support/program/small-disk.ts";
import { type Answer, startStranger } from "../support/servers/stranger.ts";

const key = "good-key-0123456789";
const configOf = (env: Record<string, string>): string => path.join(env.HOME ?? "", ".config/pets");

/** Accepts one key, and has no animals. */
const answerOne: Answer = ({ headers }, response) => {
  const known = headers.authorization === `Bearer ${key}`;
  const error = { code: "unauthorized", message: "no such key", status: 401 };
  response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
  response.end(JSON.stringify(known ? [] : error));
};

describe("profiles of the built program", () => {
  it("logs in, is used, and logs out, with private files under any umask", async () => {
    const { baseUrl, requests } = await startStranger(answerOne);
    const env = cleanEnv();
    const login = [process.execPath, script, "login", "--base-url", baseUrl];
    const child = spawn("sh", ["-c", 'umask 000; exec "$@"', "sh", ...login], { env });
    child.stdin.end(`${key}\n`);
    expect(await finished(child)).toMatchObject({ code: 0, stdout: "" });
    const folder = configOf(env);
    expect([modeOf(folder), modeOf(path.join(folder, "config.json"))]).toEqual(["700", "600"]);
    expect(await runPets(["list", "--json"], { env })).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/pets?limit=1",
      "GET /v1/pets",
    ]);
    expect(await runPets(["logout"], { env })).toMatchObject({ code: 0 });
    expect(await runPets(["list"], { env })).toMatchObject({ code: 4, stdout: "" });
    expect(requests).toHaveLength(2);
  });

  it("sends to the profile that is typed, whatever the environment of the shell says", async () => {
    const [production, staging] = [await startStranger(answerOne), await startStranger(answerOne)];
    const env = { ...cleanEnv(), PETS_BASE_URL: production.baseUrl, PETS_API_KEY: "other-key" };
    const run = (line: string, more = {}) =>
      runInTime(line.split(" "), { env: { ...env, ...more } });
    const save = async (name: string, baseUrl: string) => {
      const words = ["login", "--profile", name, "--base-url", baseUrl];
      await runInTime([...words, "--no-verify"], { env, input: key });
    };
    await save("staging", staging.baseUrl);
    await save("bare", staging.baseUrl);
    expect((await run("list --profile staging")).code).toBe(0);
    expect((await run("status --profile staging --json")).stdout).toContain(
      '"profileFrom":"--profile","baseUrl":"' +
        `${staging.baseUrl}","baseUrlFrom":"profile staging","key":"…6789","keyFrom":"profile staging"`,
    );
    expect(production.requests).toEqual([]);
    // A profile that the environment names, or that is current, does not beat it.
    expect((await run("list", { PETS_PROFILE: "staging" })).code).toBe(4);
    expect([production.requests.length, staging.requests.length]).toEqual([1, 2]);
    await run("logout --profile bare");
    const keyless = await run("limits --profile bare");
    expect(keyless).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("bare has no API key"),
    });
    const unknown = await run("list --profile stagin");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(
      /unknown profile "stagin" in --profile; did you mean "staging"\?/,
    );
  });

  it("counts one SIGINT as one, even with a profile", async () => {
    const asked = Promise.withResolvers<void>();
    const { baseUrl } = await startStranger(() => asked.resolve());
    const env = cleanEnv();
    await runInTime(["login", "--base-url", baseUrl, "--no-verify"], { env, input: key });
    const child = startPets(["add", "--name", "Rex", "--category", "1"], { env });
    await asked.promise;
    child.kill("SIGINT");
    const { code, stderr } = await finished(child);
    expect(code).toBe(130);
    expect(stderr).toMatch(/may or may not have been added/);
  });

  it.skipIf(!ptyAvailable)("asks for the key on a terminal, and does not show it", async () => {
    const { baseUrl } = await startStranger(answerOne);
    const env = cleanEnv();
    const pty = await startOnPty([process.execPath, script, "login"], { env });
    await pty.waitFor("Base URL: ");
    pty.type(`${baseUrl}\r`);
    await pty.waitFor("API key");
    pty.type(`${key}\r`);
    const { code, output } = await pty.ended;
    expect([code, output]).toEqual([0, expect.stringContaining("key …6789")]);
    expect(output).not.toContain(key);
    expect(readFileSync(path.join(configOf(env), "config.json"), "utf8")).toContain(key);
  });
});

/** Makes a folder with a profile file like a mounted secret, for XDG_CONFIG_HOME. */
function layProfile(folder: string): string {
  const file = path.join(folder, "pets/config.json");
  mkdirSync(path.dirname(file), { mode: 0o755 });
  writeFileSync(file, '{"profiles":{"shop":{"baseUrl":"https://shop.example/v1","apiKey":"k"}}}');
  chmodSync(file, 0o444);
  return folder;
}

describe("a profile file that others can read, and whose mode cannot be changed", () => {
  const warning = /^warning: the profile file .* was readable .*, and its mode cannot be changed: /;
  const listed = { code: 0, stdout: expect.stringContaining("shop") };

  it.runIf(canBeOther)("is told once a day, if that can be recorded", async () => {
    const [[setpriv, ...words], home] = [petsAsOther(), folderOfOther()];
    const folder = folderOfOther();
    chownSync(folder, 0, 0);
    const env = { ...cleanEnv(home), TMPDIR: home, XDG_CONFIG_HOME: layProfile(folder) };
    const run = (more: Record<string, string> = {}, ...flags: string[]) => {
      const list = [...words, "profile", "list", "--json", ...flags];
      return finished(spawn(setpriv, list, { env: { ...env, ...more }, cwd: home }));
    };
    const unwritable = { XDG_STATE_HOME: folder };
    expect(await run(unwritable)).toMatchObject({ ...listed, stderr: "" });
    expect(await run({}, "-q")).toMatchObject({ ...listed, stderr: "" });
    expect(await run()).toMatchObject({ ...listed, stderr: expect.stringMatching(warning) });
    expect(await run()).toMatchObject({ ...listed, stderr: "" });
  });

  it("is not told on a read-only file system", async ({ skip }) => {
    const folder = layProfile(smallDisk("1m", skip));
    execFileSync("mount", ["-o", "remount,ro", folder]);
    const env = { ...cleanEnv(), XDG_CONFIG_HOME: folder };
    const run = await runPets(["profile", "list", "--json"], { env });
    expect(run).toMatchObject({ ...listed, stderr: "" });
  });
});

describe("a key command of the built program", () => {
  it("runs once for each command that needs the key, and for no other", async () => {
    const { baseUrl, requests } = await startStranger(answerOne);
    const env = cleanEnv();
    const run = (...words: string[]) => runPets(words, { env });
    const runs = (): number => readFileSync(path.join(env.HOME ?? "", "runs"), "utf8").length / 2;
    const command = `echo x >> "$HOME/runs"; echo ${key}`;
    const login = await run("login", "--base-url", baseUrl, "--key-command", command);
    expect([login.code, runs(), requests.length]).toEqual([0, 1, 1]);
    const config = readFileSync(path.join(configOf(env), "config.json"), "utf8");
    expect(config).not.toContain("apiKey");
    expect((await run("list")).code).toBe(0);
    expect(runs()).toBe(2);
    expect((await run("profile", "show", "--json")).stdout).toContain('"key":"$(echo x');
    expect((await run("limits")).code).toBe(0);
    expect((await run("list", "--limit", "0")).code).toBe(2);
    expect((await run("list", "--base-url", "https://a.example/v1")).code).toBe(4);
    expect(runs()).toBe(3);
  });

  it.skipIf(!ptyAvailable)("may ask on the terminal, and ends with Ctrl-C", async () => {
    const { baseUrl } = await startStranger(answerOne);
    const ask = 'printf "Vault: " >/dev/tty; read -r word </dev/tty; echo "good-key-$word"';
    const env = cleanEnv();
    const login = ["login", "--base-url", baseUrl, "--key-command", ask];
    const pty = await startOnPty([process.execPath, script, ...login], { env });
    await pty.waitFor("Vault: ");
    pty.type("0123456789\r");
    expect(await pty.ended).toMatchObject({ code: 0 });
    const again = await startOnPty([process.execPath, script, "list"], { env });
    await again.waitFor("Vault: ");
    again.type("\x03");
    expect(await again.ended).toMatchObject({ code: 130 });
  });
});
