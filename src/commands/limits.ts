import type { Context } from "./context.ts";
import type { LimiterStatus } from "../rate-limiter/status.ts";
import { isStale, limitCells, limitColumns, limitRecord, waitReasons } from "../output/limits.ts";
import { fieldNames } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";
import { openPrinter } from "./print.ts";

interface LimitsOptions {
  readonly refresh?: boolean;
}

export const limits: CommandDefinition = {
  name: "limits",
  summary: "show the limits as they were seen last, and any wait in force",
  options: [{ flags: "--refresh", description: "ask the service first, with one request" }],
  fields: fieldNames("limit_fields", limitColumns),
  notes: [
    "Without --refresh nothing is sent: it tells what the pets processes of this user have seen with the same key. The fields; those that don't apply are left out:",
    {
      terms: [
        ["limit", "how many requests the service allows at a time"],
        ["remaining", "how many of them were left"],
        ["resetAt", 'when it counts anew; once that is past, "remaining" is old'],
        ["waitUntil", "until when requests are held back, where that is known"],
        ["waitReason", "why they are; without it, a request may be sent now"],
        ["seenAt", "when the service told limit, remaining and reset"],
      ],
    },
    "What waitReason may be:",
    { terms: Object.entries(waitReasons) },
  ],
  examples: [
    { line: "pets limits", stdout: /^LIMIT +LEFT[^]*\n *300 / },
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
};

/** Shows what is known of the limits; with `--refresh` after one `GET /pets?limit=1`. */
async function runLimits(context: Context, { refresh = false }: LimitsOptions): Promise<void> {
  const printer = await openPrinter(context, limitColumns);
  const connection = await context.connection();
  const limiter = await context.limiter(connection);
  if (refresh) {
    const api = await context.api(connection);
    await api.list({ limit: 1 });
  }
  const status = limiter.status();
  const { format } = context.settings;
  const record = format === "table" ? limitCells(status) : limitRecord(status);
  const records = isUnknown(status) && format !== "json" ? [] : [record];
  await printer.print(records, { single: true });
  if (format === "table") await noteState(context, status, refresh);
}

function isUnknown({ seenAt, condition }: LimiterStatus): boolean {
  return seenAt === undefined && condition === undefined;
}

async function noteState(context: Context, status: LimiterStatus, refresh: boolean): Promise<void> {
  if (isUnknown(status)) await context.note(refresh ? noneSent : noneSeen);
  else if (isStale(status)) await context.note(resetSince);
}

const noneSent = "The service tells of no limits.";
const noneSeen = "No limits were seen yet. `pets limits --refresh` asks for them.";
const resetSince = "The limit was reset since. `pets limits --refresh` asks for what is left now.";
