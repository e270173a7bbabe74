import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { notesOf } from "../http/request-notes.ts";
import { type FaultedRequest, wireFault } from "./request.ts";

/** How the injector handles replies and hanging connections. */
export interface ResponseHooks {
  /** Called once for each reply, with 0 if none is sent. */
  readonly countReply: (status: number) => void;
  readonly hang: (connection: Socket) => void;
}

/**
 * Replaces `end` of `outgoing`, so that the reply is sent as planned: delayed, truncated, or not at
 * all. Replies are written as a head and one `end` with the whole body.
 */
export function interceptResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  request: FaultedRequest,
  { countReply, hang }: ResponseHooks,
): void {
  const { method, socket } = incoming;
  const notes = notesOf(incoming);
  const end = outgoing.end.bind(outgoing);
  const send = (body: string | Uint8Array | undefined): void => {
    request.onSent();
    const wire = wireFault(request);
    const hasReply = wire === undefined || (wire === "truncate" && method !== "HEAD");
    notes.isWithheld = !hasReply;
    if (wire === undefined) end(body);
    else if (wire === "hang") hang(socket);
    else if (!hasReply) reset(socket);
    else {
      const sent = cutOff(outgoing, Buffer.from(body ?? ""), request.cut);
      if (notes.reply !== undefined) notes.reply = { ...notes.reply, body: sent };
    }
  };
  const interceptedEnd = (body?: string | Uint8Array): ServerResponse => {
    const wire = wireFault(request);
    const hasReply = wire === undefined || wire === "truncate";
    countReply(hasReply ? outgoing.statusCode : 0);
    notes.fault = request.injected ?? request.requestedDelay;
    notes.isWithheld = true;
    if (request.delayMs > 0) delay(request.delayMs, outgoing, () => send(body));
    else send(body);
    return outgoing;
  };
  Object.assign(outgoing, { end: interceptedEnd });
}

/** Calls `send` after `ms`, unless the connection has been closed. */
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

/** Sends a part of `body`, and returns it. */
function cutOff(outgoing: ServerResponse, body: Uint8Array, cut: number): Uint8Array {
  const { socket } = outgoing;
  outgoing.flushHeaders();
  const sent = body.subarray(0, Math.floor(cut * body.length));
  if (sent.length > 0) outgoing.write(sent);
  socket?.destroySoon();
  return sent;
}

/**
 * Holds connections open without a reply until they are released; from then on they are closed.
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
