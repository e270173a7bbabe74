import type { RequestMasks } from "../secrets.ts";
import type { RequestHandler } from "./request-intake.ts";
import { notesOf, sentReply } from "./request-notes.ts";

/** One request and its reply, without any key. */
export interface AccessLogEntry {
  /** The client's IP address; empty if it is no longer known. */
  readonly address: string;
  readonly method: string;
  /** Path and query as they arrived; untrusted text. */
  readonly target: string;
  /** 0 without a reply: the client left, or a fault was injected. */
  readonly status: number;
  /** The injected fault. */
  readonly fault: string | undefined;
  /** Whether the page sent it. */
  readonly isPage: boolean;
  readonly ms: number;
}

/** Wraps `handler` to call `report` at the end of each request, with keys masked as `maskOf` says. */
export function withAccessLog(
  report: (entry: AccessLogEntry) => void,
  maskOf: RequestMasks,
  handler: RequestHandler,
): RequestHandler {
  return (incoming, outgoing) => {
    const start = performance.now();
    const { method = "", url = "", rawHeaders } = incoming;
    const address = incoming.socket.remoteAddress ?? "";
    outgoing.once("close", () => {
      const notes = notesOf(incoming);
      const { fault, isPage } = notes;
      const status = sentReply(notes)?.status ?? 0;
      const ms = performance.now() - start;
      const target = maskOf(rawHeaders)(url);
      report({ address, method, target, status, fault, isPage, ms });
    });
    return handler(incoming, outgoing);
  };
}
