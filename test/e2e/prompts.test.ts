import { writeFileSync } from "node:fs";
import path from "node:path";
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
  it("refuse a paste of several lines and a wrong value, and keep the text to be edited", async () => {
    const { baseUrl, requests } = await start();
    const pty = await ask(baseUrl);
    await pty.waitFor("cannot be changed or deleted");
    await pty.waitFor("Name: ");
    pty.type("Rex\r\nM\u2028ia\r\n\r\n");
    await pty.waitFor(/name "Rex\\nM\\u2028ia" must be on one line[^]*Rex M ia$/);
    pty.type("\u007f".repeat(5));
    pty.type("\r");
    await pty.waitFor(/Category \(a number\): /);
    pty.type("1x\r");
    await pty.waitFor(/category must be an integer, not "1x"[^]*1x$/);
    pty.type("\u007f2\r");
    await pty.waitFor(/Status \(available, pending, sold, or Enter for none\): /);
    pty.type("gone\r");
    await pty.waitFor(/status must be available, pending or sold, not "gone"[^]*gone$/);
    pty.type("\u007f".repeat(4));
    pty.type("\r");
    const { code } = await pty.ended;
    expect([code, requests[0]?.body]).toEqual([0, pet]);
  });

  it.each([
    ["a prompt", [], "Name: "],
    ["a question about a file", ["--from", "list.csv"], "Which column is the name"],
  ])("say that nothing was sent if they are interrupted at %s", async (_what, words, prompt) => {
    const { baseUrl, requests } = await startStranger(reply(200, "[]"));
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, "list.csv"), "Tier;category\nRex;1\n");
    const options = { env: envOf(baseUrl), cwd };
    const pty = await startOnPty([process.execPath, script, "add", ...words], options);
    await pty.waitFor(prompt);
    pty.type("\u0003");
    const { output } = await pty.ended;
    expect(output).toMatch(/pets:\S* interrupted; nothing was sent\r\n/);
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
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
    await shell.waitFor(/Name: [^"]*$/);
    shell.type("\u001A");
    await shell.waitFor(/Stopped/);
    shell.type('fg; echo "exit=$?"\r');
    await shell.waitFor(/Stopped[^]*Name: [^"]*$/);
    shell.type("Rex\r");
    await shell.waitFor(/number\): /);
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
    await pty.waitFor("Name: ");
    pty.type("\u0004");
    const { code, output } = await pty.ended;
    expect(code).toBe(2);
    expect(output).toMatch(
      /\r\n\S*pets:\S* end of input at the prompt "Name"; nothing was sent\r\n$/,
    );
  });
});
