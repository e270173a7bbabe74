import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, finished, script, startPets, runPets } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { type Answer, startStranger } from "../support/servers/stranger.ts";

const key = "good-key-0123456789";
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
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

/** Makes a home with the profile `default`, whose key command counts how often it runs. */
async function withKeyCommand(baseUrl: string, command = `echo x >> "$HOME/runs"; echo ${key}`) {
  const env = cleanEnv();
  const login = ["login", "--base-url", baseUrl, "--key-command", command];
  const { code, stderr } = await runPets(login, { env });
  const runs = (): number => readFileSync(path.join(env.HOME ?? "", "runs"), "utf8").length / 2;
  return { env, code, stderr, runs };
}

describe("a key command of the built program", () => {
  it("runs once for each command that needs the key, and for no other", async () => {
    const { baseUrl, requests } = await startStranger(answerOne);
    const { env, code, runs } = await withKeyCommand(baseUrl);
    expect([code, runs(), requests.length]).toEqual([0, 1, 1]);
    const config = readFileSync(path.join(configOf(env), "config.json"), "utf8");
    expect(JSON.parse(config).profiles.default).not.toHaveProperty("apiKey");
    expect(await runPets(["list"], { env })).toMatchObject({ code: 0 });
    expect(runs()).toBe(2);
    const shown = await runPets(["profile", "show", "--json"], { env });
    expect(JSON.parse(shown.stdout).key).toContain("$(echo x");
    expect(await runPets(["limits"], { env })).toMatchObject({ code: 0 });
    expect(await runPets(["list", "--limit", "0"], { env })).toMatchObject({ code: 2 });
    expect(await runPets(["list", "--base-url", "https://a.example/v1"], { env })).toMatchObject({
      code: 4,
    });
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
