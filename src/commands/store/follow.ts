import type { LocalStore } from "../../client/local-store.ts";
import { Failure } from "../../core/errors.ts";
import { isRecord } from "../../core/json/parse.ts";
import { sseParser } from "../../server/request-log/sse.ts";
import type { Context } from "../context.ts";
import { type Entry, isEntries, isEntry } from "./replies.ts";

/**
 * Prints the requests that the store remembers, and then each as it ends, until the store stops. If the
 * store cuts it off for being too slow, it resumes after the last entry.
 */
export async function followRequests(
  context: Context,
  store: LocalStore,
  print: (entries: readonly Entry[]) => Promise<void>,
): Promise<void> {
  // Opened first, so that nothing is missed between the two.
  let stream = await store.stream("events");
  const entries = await store.ask("requests", isEntries);
  await print(entries);
  const known = new Set(entries.map(({ id }) => id));
  let lastId = entries.at(-1)?.id ?? "";
  for (;;) {
    for await (const { event, id, data } of readEvents(stream)) {
      if (event === "gap") await context.warn(gapText(store.parse(data, isRecord).missed));
      if (event !== "request" || known.has(id)) continue;
      known.clear();
      lastId = id;
      await print([store.parse(data, isEntry)]);
    }
    const next = await reopen(store, lastId);
    if (next === undefined) return;
    stream = next;
  }
}

/** Opens the stream after the entry `lastId`; returns undefined if the store is gone. */
async function reopen(
  store: LocalStore,
  lastId: string,
): Promise<AsyncIterable<string> | undefined> {
  try {
    const headers = lastId === "" ? {} : { "Last-Event-ID": lastId };
    return await store.stream("events", { headers });
  } catch (error) {
    if (error instanceof Failure && error.kind !== "interrupted" && error.kind !== "terminated")
      return undefined;
    throw error;
  }
}

/** Yields the events of a stream, until it ends. */
async function* readEvents(stream: AsyncIterable<string>) {
  const parse = sseParser();
  for await (const text of stream) yield* parse(text);
}

function gapText(missed: unknown): string {
  return typeof missed === "number"
    ? `${missed} requests arrived too fast to be printed`
    : "some requests may be missing";
}
