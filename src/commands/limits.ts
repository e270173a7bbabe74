import type { Context } from "./context.ts";
import type { LimiterStatus } from "../rate-limiter/status.ts";
import { isStale, limitCells, limitColumns, limitRecord } from "../output/limits.ts";
import type { CommandDefinition } from "./command.ts";
import { selectFields, printRecords } from "./print.ts";

interface LimitsOptions {
  readonly refresh?: boolean;
}

export const limits: CommandDefinition = {
  name: "limits",
  summary: "show the limits as they were seen last, and any wait in force",
  configure(command, action) {
    command
      .option("--refresh", "ask the service first, with one request")
      .action(action(runLimits));
  },
};

/** Shows what is known of the limits, where asked to after one `GET /pets?limit=1`. */
async function runLimits(context: Context, { refresh = false }: LimitsOptions): Promise<void> {
  await selectFields(context, limitColumns);
  const connection = await context.connection();
  const gate = await context.gate(connection);
  if (refresh) {
    const api = await context.api(connection);
    await api.list({ limit: 1 });
  }
  await printView(context, gate.status(), refresh);
}

async function printView(context: Context, view: LimiterStatus, refresh: boolean): Promise<void> {
  const { format } = context.settings;
  const isTable = format === "table";
  const record = isTable ? limitCells(view) : limitRecord(view);
  const isEmpty = view.seenAt === undefined && view.hold === undefined;
  const records = isEmpty && format !== "json" ? [] : [record];
  await printRecords(context, records, limitColumns, { single: true });
  if (!isTable) return;
  if (isEmpty) await context.note(refresh ? noneTold : noneSeen);
  else if (isStale(view)) await context.note(oldSeen);
}

const noneTold = "The service tells of no limits.";
const noneSeen = "No limits were seen yet. `pets limits --refresh` asks for them.";
const oldSeen = "The limit was reset since. `pets limits --refresh` asks for what is left now.";
