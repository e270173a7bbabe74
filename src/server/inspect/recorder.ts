import { isServiceRequest, type RequestHandler } from "../http/request-intake.ts";
import { notesOf, type RequestNotes, sentReply } from "../http/request-notes.ts";
import { captureBody } from "./body-preview.ts";
import type { RequestFacts } from "./request-entry.ts";
import { pageKeyId } from "./types.ts";

/** Returns `handler`, with `record` called when each request below /v1 has ended. `now` is the store's clock. */
export function withRecorder(
  now: () => number,
  record: (facts: RequestFacts, notes: RequestNotes) => void,
  handler: RequestHandler,
): RequestHandler {
  return (incoming, outgoing) => {
    if (!isServiceRequest(incoming)) return handler(incoming, outgoing);
    const [time, start] = [now(), performance.now()];
    const { method = "", url: path = "", rawHeaders, socket } = incoming;
    const remoteAddress = socket.remoteAddress ?? "";
    outgoing.on("close", () => {
      const notes = notesOf(incoming);
      const durationMs = performance.now() - start;
      const request = { time, remoteAddress, method, path, requestHeaders: rawHeaders };
      record({ ...request, durationMs, ...replyFacts(notes, method) }, notes);
    });
    return handler(incoming, outgoing);
  };
}

function replyFacts(notes: RequestNotes, method: string) {
  const reply = sentReply(notes);
  const hasBody = reply !== undefined && method !== "HEAD";
  return {
    keyId: notes.isPage ? pageKeyId : notes.keyId,
    status: reply?.status,
    fault: notes.fault,
    early: notes.isEarly,
    requestBody: notes.body && captureBody(notes.body),
    responseHeaders: reply?.headers ?? {},
    responseBody: hasBody ? captureBody(reply.body) : undefined,
  };
}
