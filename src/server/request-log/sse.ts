/** One server-sent event (HTML standard, 9.2.6). */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** No event of a store is longer, in UTF-16 units. */
const maxEventLength = 1_000_000;

/**
 * Returns a function that takes the next piece of a stream and returns the events that it completes. An event
 * that does not end is dropped.
 */
export function sseParser(): (text: string) => readonly ServerSentEvent[] {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    if (rest.length > maxEventLength) rest = "";
    return blocks.map(parseBlock).filter(({ data }) => data !== "");
  };
}

function parseBlock(block: string): ServerSentEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const field = (name: string): string => fields.get(name) ?? "";
  return { event: field("event") || "message", id: field("id"), data: field("data") };
}
