import { escapeControls } from "../../core/sanitize.ts";
import type { StoreOptions } from "../../server/store.ts";
import type { Context } from "../context.ts";

/** Logs to standard error, with the time: unexpected errors, and with --verbose each request. */
export function consoleLogger({ clock, settings, stderr }: Context) {
  const write = (text: string, at = clock.now()): void =>
    void stderr.write(`${new Date(at).toISOString()} ${escapeControls(text)}\n`);
  const onError = (error: unknown): void => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    write(`the store failed: ${message}`);
    if (settings.verbose) for (const line of stack?.split("\n") ?? []) write(line);
  };
  const onRequest: StoreOptions["onRequest"] = (exchange, target) => {
    const { connection, method, sent, isPage, arrivedAt, endedAt, keyId = "-" } = exchange;
    const fault = exchange.fault?.name;
    const ms = endedAt - arrivedAt;
    const came = sent?.status ?? (fault === undefined ? "client gone" : "no response");
    const made = `${fault === undefined ? "" : `, fault ${fault}`}${isPage ? ", page" : ""}`;
    const address = connection.remoteAddress || "-";
    const line = `${address} ${keyId} ${method} ${target} ${came} ${Math.round(ms)} ms${made}`;
    write(line, clock.now() - ms);
  };
  return { onError, onRequest: settings.verbose ? onRequest : undefined };
}
