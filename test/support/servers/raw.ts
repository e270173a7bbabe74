import { connect } from "node:net";

export interface RawReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends `parts` one after the other over a connection to 127.0.0.1, and returns the replies that are
 * received until the other side closes, or until `expected` of them are complete.
 */
export function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  { expected = 1, end = false, pauseMs = 0, head = false } = {},
): Promise<readonly RawReply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const finish = (): void => {
      socket.destroy();
      resolve(parseReplies(received, head));
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (parseReplies(received, head).length >= expected) finish();
    });
    socket.on("end", finish);
    socket.on("error", (error) => (received.length > 0 ? finish() : reject(error)));
    void (async () => {
      for (const part of parts) {
        socket.write(part);
        if (pauseMs > 0) await new Promise((wake) => setTimeout(wake, pauseMs));
      }
      if (end) socket.end();
    })();
  });
}

/**
 * Returns the complete replies at the beginning of `bytes`. Interim ones (1xx) have no body; with
 * `head` none has, because they are replies to HEAD.
 */
export function parseReplies(bytes: Buffer, head = false): readonly RawReply[] {
  const first = parseHead(bytes);
  if (first === undefined) return [];
  const { bodyStart, ...fields } = first;
  const { "content-type": type, "transfer-encoding": coding } = fields.headers;
  if (!head && coding === "chunked" && type === "application/json") {
    const whole = joinChunks(bytes, bodyStart);
    return whole ? [{ ...fields, body: whole.body }, ...parseReplies(whole.rest)] : [];
  }
  const bodyEnd = bodyStart + (head ? 0 : Number(fields.headers["content-length"] ?? 0));
  if (bytes.length < bodyEnd) return [];
  const body = bytes.toString("utf8", bodyStart, bodyEnd);
  return [{ ...fields, body }, ...parseReplies(bytes.subarray(bodyEnd), head)];
}

/** Returns the body whose chunks begin at `start`, and what follows; undefined if it is cut off (RFC 9112, 7.1). */
export function joinChunks(bytes: Buffer, start: number) {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(parts).toString(), rest: bytes.subarray(end + 2) };
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

/** Returns the head of the reply at the start of `bytes`, and where its body begins; undefined if it is cut off. */
export function parseHead(
  bytes: Buffer,
): (Omit<RawReply, "body"> & { readonly bodyStart: number }) | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(" ")[1]), headers, bodyStart: end + 4 };
}
