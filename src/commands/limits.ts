import { isTable } from "../output/formats/index.ts";
import {
  isStale,
  limitColumns,
  limitRecord,
  limitSentences,
  waitReasons,
} from "../output/rate-limit-report.ts";
import { wrap } from "../output/text/wrap.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import { openKnownLimiter, recheckLimiter } from "./command-limiter.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter } from "./print.ts";

interface LimitsOptions {
  readonly refresh?: boolean;
}

export const limits = defineCommand({
  name: "limits",
  summary: "show the last known rate limits and any wait",
  options: [{ flags: "--refresh", description: "ask the service first (sends one request)" }],
  columns: limitColumns,
  notes: [
    "Without --refresh nothing is sent: it prints what the pets processes of this user have seen with the same key. Fields that do not apply are left out:",
    {
      terms: [
        ["limit", "number of requests that the service allows"],
        ["remaining", "number of requests that were left"],
        ["resetAt", "when the limit resets; after that time, remaining is out of date"],
        ["waitUntil", "end of the current wait, if known"],
        ["waitReason", "reason of the current wait; if missing, a request can be sent now"],
        ["seenAt", "when the service last sent these values"],
        ["limiter", "the shared limiter, if any: url, inForce and reason"],
      ],
    },
    "Values of waitReason:",
    { terms: Object.entries(waitReasons) },
  ],
  examples: [
    {
      line: "pets limits",
      stdout:
        /^(?:\d+ of 300 requests left; resets|The limit of 300 requests was reset) at \d\d:\d\d/,
    },
    {
      line: "pets limits --json | jq -e '.waitReason == null' && ./add-animals",
      stdout: /^true\n$/,
      files: { added: /^$/ },
    },
    {
      line: "pets limits --refresh --json | jq -e '.remaining >= 50' && ./add-50-animals",
      stdout: /^true\n$/,
      files: { added: /^$/ },
    },
  ],
  run: runLimits,
});

/** Shows what is known about the limits; with `--refresh`, after one `GET /pets?limit=1`. */
async function runLimits(context: Context, { refresh = false }: LimitsOptions): Promise<void> {
  const printer = await openPrinter(context, limitColumns);
  const target = await context.connectionTarget();
  await recheckLimiter(context);
  if (refresh) {
    const api = await context.api();
    await api.list({ limit: 1 });
  }
  const limiter = refresh
    ? await context.limiter(await context.connection())
    : await openKnownLimiter(context, target);
  await limiter.sync({ writing: true });
  const status = limiter.status();
  const forPeople = isTable(context.settings);
  if (forPeople && printer.fields === undefined) await printSentences(context, status);
  else {
    const record = limitRecord(status);
    const isEmpty = Object.keys(record).length === 0 && context.settings.format !== "json";
    await printer.print(isEmpty ? [] : record);
  }
  if (forPeople) await noteState(context, status, refresh);
}

/** Prints a status for people, in lines no wider than their terminal. */
async function printSentences({ stdout }: Context, status: LimiterStatus): Promise<void> {
  const width = stdout.isTTY ? (stdout.columns ?? Infinity) : Infinity;
  const lines = limitSentences(status).flatMap((sentence) => wrap(sentence, width));
  if (lines.length > 0) await stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function isUnknown({ seenAt, condition }: LimiterStatus): boolean {
  return seenAt === undefined && condition === undefined;
}

async function noteState(context: Context, status: LimiterStatus, refresh: boolean): Promise<void> {
  if (isUnknown(status)) await context.note(refresh ? noneSent : noneSeen);
  else if (isStale(status)) await context.note(resetSince);
}

const noneSent = "The service sends no rate limits.";
const noneSeen = "No limits known yet. Run `pets limits --refresh` to ask the service.";
const resetSince = "Run `pets limits --refresh` to ask for the current values.";
