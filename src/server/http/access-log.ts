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

const bearer = /^Bearer +/i;
const key = /pets_[0-9A-Za-z]{32}/g;

/** Wraps `handler` to call `report` at the end of each request. */
export function withAccessLog(
  report: (entry: AccessLogEntry) => void,
  handler: RequestHandler,
): RequestHandler {
  return (incoming, outgoing) => {
    const start = performance.now();
    const { method = "", url = "", headers } = incoming;
    const address = incoming.socket.remoteAddress ?? "";
    const target = withoutKeys(url, headers.authorization ?? "");
    outgoing.once("close", () => {
      const notes = notesOf(incoming);
      const { fault, isPage } = notes;
      const status = sentReply(notes)?.status ?? 0;
      const ms = performance.now() - start;
      report({ address, method, target, status, fault, isPage, ms });
    });
    return handler(incoming, outgoing);
  };
}

/** Returns `target` with every key masked: those made here, and the request's own. */
function withoutKeys(target: string, authorization: string): string {
  const token = authorization.replace(bearer, "");
  const masked = target.replaceAll(key, "…");
  return token === "" ? masked : masked.replaceAll(token, "…");
}
