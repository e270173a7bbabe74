import { describe, expect, it } from "vitest";
import { widestLine, withoutSequences } from "../support/command/terminal.ts";
import { envFor, script } from "../support/program/program.ts";
import { ptyAvailable, runOnPty, startOnPty } from "../support/program/pty.ts";
import { type Answer, reply, startStranger } from "../support/servers/stranger.ts";

const long = "Maximilian the Third, Keeper of the Sunny Window 🐈‍⬛ 猫猫猫";
const pets = JSON.stringify([
  { id: 1, name: long, categoryId: 7, status: "available" },
  { id: 22, name: "b\u001b[2J\u202ec", categoryId: 8 },
]);

async function onTerminal(
  args: readonly string[],
  columns: number,
  more: Record<string, string> = {},
  answer: Answer = reply(200, pets),
) {
  const { baseUrl } = await startStranger(answer);
  const env = envFor({ baseUrl }, more);
  return runOnPty([process.execPath, script, ...args], { columns, env });
}

describe.runIf(ptyAvailable)("on a terminal", () => {
  it.each([80, 40, 30])("no line of a table is wider than %d columns", async (columns) => {
    const { output, code } = await onTerminal(["list"], columns);
    const text = withoutSequences(output);
    expect(code).toBe(0);
    expect(widestLine(text)).toBeLessThanOrEqual(columns);
    expect(text).toContain("…");
    expect(text).toContain("22");
  });

  it("tables are coloured, and text from outside has no colours", async () => {
    const { output } = await onTerminal(["list"], 80);
    expect(output).toContain("\u001b[32mavailable\u001b[39m");
    expect(output).toContain("b\\x1b[2J\\u202ec");
  });

  it.each<[Record<string, string>, string[], boolean]>([
    [{ NO_COLOR: "1" }, [], false],
    [{}, ["--no-color"], false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, [], true],
  ])("with %j and %j colour is %s", async (env, args, colored) => {
    const { output } = await onTerminal(["list", ...args], 80, env);
    expect(output.includes("\u001b[32mavailable")).toBe(colored);
  });

  it.each([
    ["json", /^\[\r\n {2}\{\r\n {4}"id": 1,/],
    ["ndjson", /^\{"id":1,"name":"Max/],
    ["csv", /22,b\\x1b\[2J\\u202ec,8,/],
    ["tsv", /22\tb\\x1b\[2J\\u202ec\t8/],
  ])("%s is not coloured, and contains no control character", async (format, shows) => {
    const { output } = await onTerminal(["list", "-o", format], 80);
    expect(output).toMatch(shows);
    expect(output).not.toMatch(/\u001b|\u202e/);
  });

  it("a wait counts down on one line, which is cleared; Ctrl-C ends it with 130", async () => {
    const { baseUrl } = await startStranger(reply(429, "", { "retry-after": "50" }));
    const env = envFor({ baseUrl });
    const pty = await startOnPty([process.execPath, script, "list"], { columns: 60, env });
    await pty.waitFor(/waiting 5\d s/);
    await pty.waitFor(/waiting 4\d s|waiting 5[0-3] s[^]*waiting 5[0-3] s/);
    pty.type("\u0003");
    const { code, output } = await pty.ended;
    expect(code).toBe(130);
    const [told, ...rest] = withoutSequences(output).split("pets: interrupted");
    expect(told).not.toContain("\n");
    expect(rest).toEqual(["\r\n"]);
  });
});
