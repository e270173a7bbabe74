import { termLines } from "../help/command-help.ts";
import { isTable } from "../output/formats/index.ts";
import {
  isStale,
  limitColumns,
  limitRecord,
  limitSentences,
  waitReasons,
} from "../output/rate-limit-report.ts";
import { wrap } from "../output/wrap.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";

export const limits = (getContext: () => Context) =>
  newCommand("limits", "show the last known rate limits and any wait", {
    columns: limitColumns,
    examples: [
      "pets limits",
      "pets limits --json | jq -e '.waitReason == null' && ./add-animals",
      "pets limits --refresh --json | jq -e '.remaining >= 50' && ./add-50-animals",
    ],
    notes,
  })
    .option("--refresh", "ask the service first (sends one request)")
    .action(({ refresh = false }) => runLimits(getContext(), refresh));

const notes = `Without --refresh nothing is sent: it prints what the pets processes of this user have seen with the same key. Fields that do not apply are left out:

${termLines({
  limit: "number of requests that the service allows",
  remaining: "number of requests that were left",
  resetAt: "when the limit resets; later, remaining is out of date",
  waitUntil: "end of the current wait, if known",
  waitReason: "reason of the current wait; if missing, there is none",
  seenAt: "when the service last sent these values",
  limiter: "the shared limiter, if any: url, inForce and reason",
  limiterDirectory: "where these are kept, if not in the state directory",
  unlimited: "true if the service allows any number of requests",
})}

Values of waitReason:

${termLines(waitReasons)}`;

/** Shows what is known about the limits; with `--refresh`, after one `GET /pets?limit=1`. */
async function runLimits(context: Context, refresh: boolean): Promise<void> {
  const { settings, stdout } = context;
  const connection = await context.service.connection();
  await context.service.recheckLimiter(connection);
  if (refresh) await (await context.service.api({ despite503: true })).list({ limit: 1 });
  const limiter = await context.service.limiter(connection);
  await limiter.sync({ writing: true });
  const status = limiter.status();
  const forPeople = isTable(settings);
  if (forPeople && settings.fields === undefined) {
    const width = stdout.columns ?? Infinity;
    const lines = limitSentences(status).flatMap((sentence) => wrap(sentence, width));
    if (lines.length > 0) await stdout.write(`${lines.join("\n")}\n`);
  } else {
    const record = limitRecord(status);
    await context.print(isKnown(status) || settings.format === "json" ? record : []);
  }
  const note = forPeople ? stateNote(context, status, refresh) : undefined;
  if (note !== undefined) await context.note(note);
}

const isKnown = ({ seenAt, condition, limiter }: LimiterStatus): boolean =>
  (seenAt ?? condition ?? limiter) !== undefined;

function stateNote({ commandHere }: Context, status: LimiterStatus, refresh: boolean) {
  const ask = `\`${commandHere("limits", "--refresh")}\``;
  if (!isKnown(status))
    return refresh
      ? "The service sends no rate limits."
      : `No limits known yet. Run ${ask} to ask the service.`;
  return isStale(status) ? `Run ${ask} to ask for the current values.` : undefined;
}
