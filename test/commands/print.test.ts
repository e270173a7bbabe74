import { expect, it } from "vitest";
import { formatOptions } from "../../src/commands/print.ts";
import { resolveSettings } from "../../src/config/settings.ts";
import { recordOutput } from "../support/command/terminal.ts";

it.each([
  [true, 40, { terminal: true, color: true, width: 40 }],
  [true, undefined, { terminal: true, color: true, width: undefined }],
  // In a pipe nothing is cut, even if its width is known.
  [false, 40, { terminal: false, color: false }],
])("formatOptions, terminal %s of %s columns, is %j", (isTTY, columns, shown) => {
  const settings = resolveSettings({ typed: {}, env: {} });
  const context = { settings, env: {}, stdout: { ...recordOutput(), isTTY, columns } };
  expect(formatOptions(context, [])).toEqual({ format: "table", columns: [], ...shown });
});
