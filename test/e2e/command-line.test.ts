import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, script } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const nowhere = { PETS_BASE_URL: "http://127.0.0.1:9/v1", PETS_API_KEY: "key-of-the-tests-1234" };

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runPets(args, { env: { ...cleanEnv(), ...nowhere, ...env } });

const ask = (env: Record<string, string> = {}) =>
  startOnPty([process.execPath, script, "add"], { env: { ...cleanEnv(), ...nowhere, ...env } });

describe("wrong usage", () => {
  it.each<[string[], RegExp]>([
    [
      ["lst"],
      /^pets: unknown command 'lst'\n\(Did you mean one of list, ls\?\)\nSee `pets --help`\.\n$/,
    ],
    [["list", "--li\nmit"], /^pets: unknown option '--li\\nmit'\n\(Did you mean --limit\?\)\n/],
  ])("of %j prints one line and what to do", async (args, says) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(says);
    expect(stderr.split("\n").length).toBeLessThanOrEqual(4);
  });
});

describe("an error is JSON", () => {
  it.each([
    [["add", "--name", "--json", "--category", "x"], false],
    [["add", "--json", "--name", "x", "--category", "x"], true],
    [["--output", "ndjson", "add", "--bogus"], true],
  ])("after %j: %j", async (args, isJson) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr.startsWith('{"error":{"code":"usage"')).toBe(isJson);
  });
});

describe("help", () => {
  it("works with invalid settings", async () => {
    const wrong = { PETS_TIMEOUT: "soon", PETS_OUTPUT: "xml" };
    expect(await run(["help", "environment"], wrong)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.skipIf(!ptyAvailable)("questions on a terminal", () => {
  it("accept what was typed ahead", async () => {
    const pet = '{"id":7,"name":"Rex","categoryId":12}';
    const stranger = await startStranger(reply(201, pet));
    const pty = await ask({ PETS_BASE_URL: stranger.baseUrl });
    await pty.waitFor("name: ");
    pty.type("Rex\r12\r");
    expect((await pty.ended).code).toBe(0);
    expect(stranger.requests[0]?.body).toBe('{"name":"Rex","categoryId":12}');
  });

  it("are asked again after Ctrl-Z and fg", async () => {
    const stranger = await startStranger(reply(201, '{"id":7,"name":"Rex","categoryId":12}'));
    const env = { ...cleanEnv(), ...nowhere, PETS_BASE_URL: stranger.baseUrl, ENV: "", PS1: "" };
    const shell = await startOnPty(["sh", "-i"], { env });
    shell.type(`"${process.execPath}" "${script}" add\r`);
    await shell.waitFor(/name: [^"]*$/);
    shell.type("\u001A");
    await shell.waitFor(/Stopped/);
    shell.type('fg; echo "exit=$?"\r');
    await shell.waitFor(/Stopped[^]*name: [^"]*$/);
    shell.type("Rex\r12\r");
    await shell.waitFor(/exit=0/);
    shell.type("exit\r");
    await shell.ended;
    expect(stranger.requests[0]?.body).toBe('{"name":"Rex","categoryId":12}');
  });

  it("end their line if there is no answer", async () => {
    const pty = await ask();
    await pty.waitFor("name: ");
    pty.type("\u0004");
    const { code, output } = await pty.ended;
    expect(code).toBe(2);
    expect(output).toMatch(/\r\n\S*pets:\S* end of input at the prompt "name"\r\n$/);
  });
});
