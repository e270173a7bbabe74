import { describe, expect, it } from "vitest";
import { cleanEnv, script, temporaryFolder } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const pet = '{"name":"Rex","categoryId":12}';
const start = () => startStranger(reply(201, pet.replace("{", '{"id":7,')));
const envOf = (baseUrl: string) => ({
  ...cleanEnv(),
  PETS_BASE_URL: baseUrl,
  PETS_API_KEY: "key-of-the-tests-1234",
});
const ask = (baseUrl: string) =>
  startOnPty([process.execPath, script, "add"], { env: envOf(baseUrl) });

describe.skipIf(!ptyAvailable)("questions on a terminal", () => {
  it("take one line of a paste, ask again for a wrong value, and for the status too", async () => {
    const { baseUrl, requests } = await start();
    const pty = await ask(baseUrl);
    await pty.waitFor("name: ");
    pty.type("Rex\r3 secret\rsecret");
    await pty.waitFor("category: ");
    pty.type("x\r");
    await pty.waitFor(/'x' is invalid\. [^]*category: /);
    pty.type("12\r");
    await pty.waitFor("Enter for none");
    pty.type("gone\r");
    await pty.waitFor(/available, pending, sold[^]*none\): /);
    pty.type("\r");
    const { code, output } = await pty.ended;
    expect([code, requests[0]?.body]).toEqual([0, pet]);
    expect(output).not.toContain("secret");
  });

  it("do not show a key that is pasted together with the URL", async () => {
    const { baseUrl } = await startStranger(reply(200, "[]"));
    const env = { ...cleanEnv(), HOME: temporaryFolder() };
    const pty = await startOnPty([process.execPath, script, "login"], { env });
    await pty.waitFor("Base URL: ");
    pty.type(`${baseUrl}\rkey-of-the-tests-1234\r`);
    await pty.waitFor(/not shown/);
    pty.type("key-of-the-tests-1234\rmore");
    const { code, output } = await pty.ended;
    expect(code).toBe(0);
    expect(output).not.toMatch(/key-of-the-tests|more/);
  });

  it("are asked again after Ctrl-Z and fg", async () => {
    const { baseUrl, requests } = await start();
    const shell = await startOnPty(["sh", "-i"], { env: { ...envOf(baseUrl), ENV: "", PS1: "" } });
    shell.type(`"${process.execPath}" "${script}" add\r`);
    await shell.waitFor(/name: [^"]*$/);
    shell.type("\u001A");
    await shell.waitFor(/Stopped/);
    shell.type('fg; echo "exit=$?"\r');
    await shell.waitFor(/Stopped[^]*name: [^"]*$/);
    shell.type("Rex\r");
    await shell.waitFor(/category: /);
    shell.type("12\r");
    await shell.waitFor(/none/);
    shell.type("\r");
    await shell.waitFor(/exit=0/);
    shell.type("exit\r");
    await shell.ended;
    expect(requests[0]?.body).toBe(pet);
  });

  it("end their line if there is no answer", async () => {
    const pty = await ask("http://127.0.0.1:9/v1");
    await pty.waitFor("name: ");
    pty.type("\u0004");
    const { code, output } = await pty.ended;
    expect(code).toBe(2);
    expect(output).toMatch(/\r\n\S*pets:\S* end of input at the prompt "name"\r\n$/);
  });
});
