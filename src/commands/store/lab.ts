import { createReadStream } from "node:fs";
import { errorMessage, Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import { parseDuration } from "../../core/duration.ts";
import { clockColumns, scriptColumns } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { isClock, isScript, type Script } from "./replies.ts";
import { labHint, printReply } from "./reply-printer.ts";

/** Sets the store's clock if `change` is given, and prints its time. Throws a usage Failure. */
export async function runClock(context: Context, change: string | undefined): Promise<void> {
  const request = change === undefined ? undefined : changing(JSON.stringify(clockChange(change)));
  await printReply(context, clockColumns, (store) => store.ask("clock", isClock, request));
}

/** Returns what is sent for `+61s`, `freeze`, `run` or a time; the store knows what a time is. */
function clockChange(text: string): Readonly<Record<string, unknown>> {
  if (text === "freeze" || text === "run") return { frozen: text === "freeze" };
  if (!text.startsWith("+")) {
    if (/^\d{4}-/.test(text)) return { set: text };
    const allowed = "+ and a duration, such as +61s, a time in ISO 8601, freeze or run";
    throw usageFailure(`<change> must be ${allowed}, not ${JSON.stringify(text)}`);
  }
  const advance = text.slice(1);
  if (parseDuration(advance, { hasDays: true }) !== undefined) return { advance };
  const allowed = "a number with ms, s, m, h or d, such as +61s";
  throw usageFailure(`<change> must be + and ${allowed}, not ${JSON.stringify(text)}`);
}

const changing = (body: string) => ({ method: "POST", body, refusedHint: labHint }) as const;

/** Replaces the store's script with that in `file` (`-` is standard input), or with none for `off`, and prints it. */
export async function runScript(context: Context, file: string | undefined): Promise<void> {
  const text = file === undefined || file === "off" ? file : await readScript(context, file);
  const request =
    text === undefined
      ? undefined
      : { ...changing(text), headers: { "content-type": "application/x-ndjson" } };
  const { steps } = await printReply(
    context,
    scriptColumns,
    (store) => store.ask("script", isScript, request),
    toRecords,
  );
  if (steps.length === 0 && isTable(context.settings))
    await context.note("The script has no steps.");
}

const toRecords = ({ steps }: Script) =>
  steps.map((each, at) => ({ step: at + 1, times: 1, ...each }));

/** The maximum size of a script in bytes, as the store takes it. */
const maxScriptBytes = 64 * 1024;

async function readScript({ stdin }: Context, file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const tooLarge = `the script ${file} is larger than 64 KiB`;
  try {
    for await (const chunk of file === "-" ? stdin : createReadStream(file)) {
      size += chunk.length;
      if (size > maxScriptBytes) throw usageFailure(tooLarge);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`cannot read the script ${file}: ${errorMessage(error)}`, error);
  }
  return Buffer.concat(chunks).toString();
}
