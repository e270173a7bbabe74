/** One server-sent event (HTML standard, 9.2.6). */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** No event of a store is longer, in UTF-16 units. */
const maxEventLength = 1_000_000;

/** Returns a function that returns the events that end in the next piece of a stream. One without an end is dropped. */
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
  const fields = block.split("\n").map((line) => line.split(/: (.*)/s));
  const { event = "message", id = "", data = "" } = Object.fromEntries(fields);
  return { event, id, data };
}
