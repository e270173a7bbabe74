import { describe, expect, it } from "vitest";
import { widestLine, withoutSequences } from "../support/command/terminal.ts";
import { envFor, script } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const long = "Maximilian the Third, Keeper of the Sunny Window 🐈‍⬛ 猫猫猫";
const pets = JSON.stringify([
  { id: 1, name: long, categoryId: 7, status: "available" },
  { id: 22, name: "b\u001b[2J\u202ec", categoryId: 8 },
]);

/** Starts a list on a terminal, of a service that replies like this. */
async function startList(
  answer: ReturnType<typeof reply>,
  { columns = 80, args = [] as readonly string[], more = {} } = {},
) {
  const env = envFor(await startStranger(answer), more);
  return startOnPty([process.execPath, script, "list", ...args], { columns, env });
}

describe.runIf(ptyAvailable)("on a terminal", () => {
  it.each([80, 30])("a table is colored, and no line is wider than %d columns", async (columns) => {
    const { code, output } = await (await startList(reply(200, pets), { columns })).ended;
    const text = withoutSequences(output);
    expect(code).toBe(0);
    expect(widestLine(text)).toBeLessThanOrEqual(columns);
    expect(text).toMatch(/…[^]*\n22 /);
    expect(output).toMatch(/\u001b\[32mavail/);
    expect(output).toMatch(/ b\\x1b/);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ NO_COLOR: "1" }, []],
    [{}, ["--no-color"]],
    [{}, ["-o", "csv"]],
  ])("with %j and %j nothing is colored", async (more, args) => {
    const { output } = await (await startList(reply(200, pets), { more, args })).ended;
    expect(output).toContain("b\\x1b[2J\\u202ec");
    expect(output).not.toContain("\u001b");
  });

  it("a wait counts down on one line, which is cleared; Ctrl-C ends it with 130", async () => {
    const pty = await startList(reply(429, "", { "retry-after": "50" }), { columns: 60 });
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
