import { escapeControls } from "../../core/sanitize.ts";
import type { Clock } from "../../platform/io.ts";
import type { StoreEvents } from "../../server/attach.ts";
import type { Context } from "../context.ts";

/**
 * Logs to standard error: unexpected errors, the same one at most every 10 s, and with --verbose a
 * line for each request.
 */
export function consoleLogger({ clock, settings, stderr }: Context): StoreEvents {
  const write = (text: string): void => void stderr.write(`${escapeControls(text)}\n`);
  const isNew = throttleByMessage(clock);
  const onFault = (error: unknown): void => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    if (!isNew(message)) return;
    write(`pets: the store failed: ${message}`);
    if (settings.verbose) for (const line of stack?.split("\n") ?? []) write(line);
  };
  const onRequest: StoreEvents["onRequest"] = (exchange, target) => {
    const { connection, method, sent, isPage, arrivedAt, endedAt } = exchange;
    const fault = exchange.fault?.name;
    const ms = endedAt - arrivedAt;
    const at = new Date(clock.now() - ms).toISOString();
    const came = sent?.status ?? (fault === undefined ? "client gone" : "no response");
    const made = `${fault === undefined ? "" : `, fault ${fault}`}${isPage ? ", page" : ""}`;
    write(
      `${at} ${connection.remoteAddress || "-"} ${method} ${target} ${came} ${Math.round(ms)} ms${made}`,
    );
  };
  return { onFault, ...(settings.verbose && { onRequest }) };
}

/**
 * How long a repeated message is suppressed, in ms: if the data is gone, every request fails the same way.
 */
const repeatAfterMs = 10_000;
/** How many different messages are remembered; beyond that, all of them are forgotten. */
const maxMessages = 100;

/** Returns a predicate that is false for a message repeated within 10 s. */
export function throttleByMessage(clock: Pick<Clock, "monotonic">): (text: string) => boolean {
  const printedAt = new Map<string, number>();
  return (text) => {
    const now = clock.monotonic();
    if (now - (printedAt.get(text) ?? -Infinity) < repeatAfterMs) return false;
    if (printedAt.size >= maxMessages) printedAt.clear();
    printedAt.set(text, now);
    return true;
  };
}
