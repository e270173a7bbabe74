import { writeFileSync } from "node:fs";
import path from "node:path";
import { openValidatedInput } from "../../../src/commands/add-from/input.ts";
import type { Context } from "../../../src/commands/context.ts";
import type { OutputFormatName } from "../../../src/core/enums.ts";
import type { LimiterStatus } from "../../../src/rate-limiter/rules/status.ts";
import { settingsWith } from "../../config/support/settings.ts";
import { recordOutput } from "../../support/command/terminal.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { importInput } from "./import-input.ts";

const text = '{"name":"Rex","categoryId":3}\n{"name":"日本","categoryId":12}\n';
const baseUrl = new URL("https://shop.example/v1");

/** Opens an input of two animals without reading its rows. */
export async function openInput(
  format: OutputFormatName = "table",
  flags: object = {},
  limits: LimiterStatus = { now: 0 },
) {
  const folder = temporaryFolder();
  const file = path.join(folder, "pets.ndjson");
  writeFileSync(file, text);
  const stdout = recordOutput();
  const notes: string[] = [];
  const context = {
    stdout,
    stderr: recordOutput(),
    stdin: { isTTY: false },
    env: {},
    program: { platform: "linux" },
    signal: new AbortController().signal,
    settings: settingsWith({ format, baseUrl }),
    folders: { state: folder },
    clock: { now: Date.now, monotonic: () => 0 },
    connectionTarget: async () => ({ baseUrl, key: { value: "k" }, chosen: undefined }),
    limiterServer: async () => ({ url: "redis://localhost:6379", required: false }),
    limiter: async () => ({ sync: async () => undefined, status: () => limits }),
    commandHere: (...words: readonly string[]) => ["pets", ...words, "--profile", "x"].join(" "),
    note: async (line: string) => void notes.push(line),
  } as unknown as Context;
  const options = importInput({ from: file, ...flags });
  const input = await openValidatedInput(context, options);
  return { context, options, input, stdout, notes };
}
