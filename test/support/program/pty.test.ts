import { describe, expect, it } from "vitest";
import { ptyAvailable, runOnPty, startOnPty } from "./pty.ts";

const node = (program: string): [string, ...string[]] => [process.execPath, "-e", program];

describe.skipIf(!ptyAvailable)("a program on a terminal", () => {
  it("sees a terminal of the given size, on each stream", async () => {
    const program = `const { stdin, stdout, stderr } = process;
      console.log([stdin.isTTY && stdout.isTTY && stderr.isTTY, stdout.columns, stdout.rows].join())`;
    const result = await runOnPty(node(program), { columns: 47, rows: 11 });
    expect(result).toMatchObject({ code: 0, output: "true,47,11\r\n" });
  });

  it("gets the environment and the arguments unchanged", async () => {
    const program = `console.log(JSON.stringify([process.env.HUE, process.argv.at(-1)]))`;
    const word = `it's "$HOME"\n`;
    const env = { PATH: process.env.PATH, HUE: "a b" };
    const result = await runOnPty([...node(program), word], { env });
    expect(JSON.parse(result.output)).toEqual(["a b", word]);
  });

  it.each([
    ["process.exitCode = 7", 7],
    ["process.kill(process.pid, 'SIGTERM')", 143],
    ["process.kill(process.pid, 'SIGKILL')", 137],
  ])("ends with the code of %s", async (program, code) => {
    expect((await runOnPty(node(program))).code).toBe(code);
  });

  it("can have a stream redirected to a file", async () => {
    const program = `console.log("result"); console.error(String(process.stderr.isTTY))`;
    const result = await runOnPty(node(program), { toFile: ["stdout"] });
    expect(result).toMatchObject({ stdout: "result\n", output: "true\r\n" });
  });

  it("reads what is typed", async () => {
    const program = `process.stdout.write("name? ");
      process.stdin.once("data", (text) => { console.log("got " + text); process.exit() })`;
    const { output } = await runOnPty(node(program), { input: "Rex\r" });
    expect(output).toContain("got Rex");
  });

  it("receives Ctrl-C, a new size and a signal", async () => {
    const program = `process.stdout.on("resize", () => console.log("now " + process.stdout.columns));
      process.on("SIGINT", () => console.log("interrupted"));
      process.on("SIGTERM", () => process.exit(3));
      setInterval(() => {}, 1000); console.log("ready")`;
    const pty = await startOnPty(node(program));
    await pty.waitFor("ready");
    pty.resize(33);
    await pty.waitFor("now 33");
    pty.type("\x03");
    await pty.waitFor("interrupted");
    pty.kill("SIGTERM");
    expect((await pty.ended).code).toBe(3);
  });

  it("reports what was shown if the expected output does not appear", async () => {
    const pty = await startOnPty(node(`console.log("bye")`));
    await expect(pty.waitFor("hello")).rejects.toThrow(/ended before hello: bye/);
  });
});
