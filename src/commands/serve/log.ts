import { escapeControls } from "../../core/sanitize.ts";
import type { Clock } from "../../platform/io.ts";
import type { StoreEvents } from "../../server/attach.ts";
import type { ExchangeListener } from "../../server/http/exchange.ts";
import type { Context } from "../context.ts";

/**
 * Logs to standard error, with the time: unexpected errors, the same one at most every 10 s, that the store has
 * recovered from them, and with --verbose each request.
 */
export function consoleLogger({ clock, settings, stderr }: Context) {
  const write = (text: string, at = clock.now()): void =>
    void stderr.write(`${new Date(at).toISOString()} ${escapeControls(text)}\n`);
  const isNew = throttleByMessage(clock);
  let isFailureLogged = false;
  const onFault = (error: unknown): void => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    if (!isNew(message)) return;
    isFailureLogged = true;
    write(`the store failed: ${message}`);
    if (settings.verbose) for (const line of stack?.split("\n") ?? []) write(line);
  };
  const onRecovered = (): void => {
    if (isFailureLogged) write("the store recovered");
    isFailureLogged = false;
  };
  const onRequest: StoreEvents["onRequest"] = (exchange, target) => {
    const { connection, method, sent, isPage, arrivedAt, endedAt, keyId = "-" } = exchange;
    const fault = exchange.fault?.name;
    const ms = endedAt - arrivedAt;
    const came = sent?.status ?? (fault === undefined ? "client gone" : "no response");
    const made = `${fault === undefined ? "" : `, fault ${fault}`}${isPage ? ", page" : ""}`;
    const address = connection.remoteAddress || "-";
    const line = `${address} ${keyId} ${method} ${target} ${came} ${Math.round(ms)} ms${made}`;
    write(line, clock.now() - ms);
  };
  return {
    onFault,
    listeners: [noticeRecovery(onRecovered)],
    ...(settings.verbose && { onRequest }),
  };
}

/** Returns a listener that calls `onRecovered` when a request succeeds that is like one that failed before. */
function noticeRecovery(onRecovered: () => void): ExchangeListener {
  const failedAt = new Map<string, number>();
  return ({ method, path, isService, sent, fault, arrivedAt, endedAt }) => {
    if (sent === undefined || fault?.name !== undefined) return;
    if (!isService && path !== "/healthz") return;
    // Reads may succeed although nothing can be stored.
    const kind = isService ? method : path;
    if (sent.status >= 500) failedAt.set(kind, endedAt);
    if (sent.status >= 300 || arrivedAt < (failedAt.get(kind) ?? Infinity)) return;
    failedAt.clear();
    onRecovered();
  };
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
