import { expect, it } from "vitest";
import { isColored, loadTheme } from "../../src/output/color.ts";

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
  [{ CLICOLOR_FORCE: "1" }, false, true, true],
  [{ CLICOLOR_FORCE: "yes", CLICOLOR: "0", TERM: "dumb" }, false, true, true],
  [{ CLICOLOR_FORCE: "1", NO_COLOR: "" }, false, true, true],
  [{ CLICOLOR_FORCE: "1" }, true, false, false],
  [{ CLICOLOR_FORCE: "1", NO_COLOR: "1" }, true, true, false],
  [{ CLICOLOR_FORCE: "1", FORCE_COLOR: "0" }, true, true, false],
  [{ CLICOLOR_FORCE: "0", FORCE_COLOR: "1" }, false, true, true],
  [{ CLICOLOR_FORCE: "0" }, false, true, false],
  [{ CLICOLOR_FORCE: "" }, false, true, false],
  [{ CLICOLOR_FORCE: "0" }, true, true, true],
  [{ CLICOLOR: "0" }, true, true, false],
  [{ CLICOLOR: "0", FORCE_COLOR: "1" }, true, true, true],
  [{ CLICOLOR: "1" }, true, true, true],
  [{ CLICOLOR: "1" }, false, true, false],
  [{ CLICOLOR: "" }, true, true, true],
])("isColored of %j, terminal %s, not --no-color %s: %s", (env, isTTY, flag, colored) => {
  expect(isColored(env, isTTY, flag)).toBe(colored);
});

it.each([
  [true, "\x1b[31mno\x1b[39m", "\x1b[1mID\x1b[22m", "\x1b[2msold\x1b[22m"],
  [false, "no", "ID", undefined],
])("loadTheme, colour %s, whatever the process has", async (color, error, header, sold) => {
  const theme = await loadTheme(color);
  expect([theme.error("no"), theme.header("ID")]).toEqual([error, header]);
  expect(theme.status.sold?.("sold")).toBe(sold);
});
