import { describe, expect, it } from "vitest";
import { isColored, loadTheme, targetOf } from "../../src/output/color.ts";
import { recordOutput } from "../support/command/terminal.ts";

describe("isColored", () => {
  it.each([
    [{}, true, true, true],
    [{}, false, true, false],
    [{}, true, false, false],
    [{ NO_COLOR: "1" }, true, true, false],
    [{ NO_COLOR: "0" }, true, true, false],
    [{ NO_COLOR: "" }, true, true, true],
    [{ TERM: "dumb" }, true, true, false],
    [{ TERM: "xterm" }, true, true, true],
    [{ FORCE_COLOR: "1" }, false, true, true],
    [{ FORCE_COLOR: "true" }, false, true, true],
    [{ FORCE_COLOR: "3", NO_COLOR: "1", TERM: "dumb" }, false, true, true],
    [{ FORCE_COLOR: "1" }, true, false, false],
    [{ FORCE_COLOR: "0" }, true, true, false],
    [{ FORCE_COLOR: "false" }, true, true, false],
    [{ FORCE_COLOR: "" }, true, true, true],
    [{ FORCE_COLOR: "" }, false, true, false],
    [{ FORCE_COLOR: "", NO_COLOR: "1" }, true, true, false],
  ])("of %j, terminal %s, not --no-color %s: %s", (env, isTTY, flag, colored) => {
    expect(isColored(env, isTTY, flag)).toBe(colored);
  });
});

it.each([
  [
    { isTTY: true, columns: 40 },
    { terminal: true, color: true, width: 40 },
  ],
  [{ isTTY: true }, { terminal: true, color: true }],
  // In a pipe nothing is cut, even if its width is known.
  [
    { isTTY: false, columns: 40 },
    { terminal: false, color: false },
  ],
])("targetOf %j is %j", (stdout, target) => {
  const context = { stdout: recordOutput(stdout), env: {}, settings: { color: true } };
  expect(targetOf(context)).toEqual(target);
});

describe("loadTheme", () => {
  it("paints, whatever the environment of the process", async () => {
    const theme = await loadTheme(true);
    expect(theme.error("no")).toBe("\x1b[31mno\x1b[39m");
    expect(theme.header("ID")).toBe("\x1b[1mID\x1b[22m");
    expect(theme.status.available?.("available")).toBe("\x1b[32mavailable\x1b[39m");
  });

  it("leaves text unchanged without colour", async () => {
    const theme = await loadTheme(false);
    expect([theme.error("no"), theme.header("ID"), theme.status.sold]).toEqual([
      "no",
      "ID",
      undefined,
    ]);
  });
});
