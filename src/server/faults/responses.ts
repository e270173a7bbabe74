import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { reportFault } from "../http/access-log.ts";
import { type FaultedRequest, wireFault } from "./request.ts";

/** What the injector does with replies and hanging connections. */
export interface ResponseHooks {
  /** Called once for each reply, with 0 if none is sent. */
  readonly countReply: (status: number) => void;
  readonly hang: (connection: Socket) => void;
}

/**
 * Replaces `end` of `outgoing`, so that the reply is sent as planned: late, truncated, or not at
 * all. Replies are written as a head and one `end` with the whole body.
 */
export function interceptResponse(
  { method, socket }: IncomingMessage,
  outgoing: ServerResponse,
  request: FaultedRequest,
  { countReply, hang }: ResponseHooks,
): void {
  const end = outgoing.end.bind(outgoing);
  const send = (body: string | Uint8Array | undefined): void => {
    request.onSent();
    const wire = wireFault(request);
    if (wire === undefined) end(body);
    else if (wire === "hang") hang(socket);
    else if (wire === "reset" || method === "HEAD") reset(socket);
    else cutOff(outgoing, Buffer.from(body ?? ""), request.cut);
  };
  const interceptedEnd = (body?: string | Uint8Array): ServerResponse => {
    const wire = wireFault(request);
    const hasReply = wire === undefined || wire === "truncate";
    countReply(hasReply ? outgoing.statusCode : 0);
    if (request.injected !== undefined) reportFault(outgoing, { kind: request.injected, hasReply });
    if (request.delayMs > 0) delay(request.delayMs, outgoing, () => send(body));
    else send(body);
    return outgoing;
  };
  Object.assign(outgoing, { end: interceptedEnd });
}

/** Calls `send` after `ms`, unless the connection is closed by then. */
function delay(ms: number, outgoing: ServerResponse, send: () => void): void {
  if (outgoing.destroyed) return;
  const timer = setTimeout(send, ms);
  outgoing.once("close", () => clearTimeout(timer));
}

function reset(connection: Socket): void {
  try {
    connection.resetAndDestroy();
  } catch {
    // Only plain TCP can be reset; TLS ends without close_notify.
    connection.destroy();
  }
}

function cutOff(outgoing: ServerResponse, body: Uint8Array, cut: number): void {
  const { socket } = outgoing;
  outgoing.flushHeaders();
  const length = Math.floor(cut * body.length);
  if (length > 0) outgoing.write(body.subarray(0, length));
  socket?.destroySoon();
}

/**
 * Holds connections open without an answer until they are released; from then on they are closed.
 */
export function heldConnections() {
  const hanging = new Set<Socket>();
  let isOver = false;
  return {
    hang: (connection: Socket): void => {
      // If the client left in the middle of a body, node:http never closes the connection.
      if (isOver || connection.readableEnded) connection.destroy();
      hanging.add(connection);
      connection.once("close", () => hanging.delete(connection));
    },
    release: (): void => {
      isOver = true;
      for (const connection of hanging) connection.destroy();
    },
  };
}
