import type { ServerResponse } from "node:http";
import type { RequestHandler } from "./request-intake.ts";

/** One request and its reply, without any key. */
export interface AccessLogEntry {
  /** The client's IP address, or empty if it is not known any more. */
  readonly address: string;
  readonly method: string;
  /** Path and query as they arrived; untrusted text. */
  readonly target: string;
  /** 0 without a reply: the client left, or a fault was injected. */
  readonly status: number;
  /** The injected fault. */
  readonly fault: string | undefined;
  readonly ms: number;
}

/** A fault that was injected into a reply. */
interface InjectedFault {
  readonly kind: string;
  /** Whether any of the reply is sent. */
  readonly hasReply: boolean;
}

const madeFaults = new WeakMap<ServerResponse, InjectedFault>();
const bearer = /^Bearer +/i;
const key = /pets_[0-9A-Za-z]{32}/g;

/** Marks the access log entry of a request with its fault. */
export function reportFault(outgoing: ServerResponse, fault: InjectedFault): void {
  madeFaults.set(outgoing, fault);
}

/** Returns `handler`, with `report` called when each request is over. */
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
      const fault = madeFaults.get(outgoing);
      const hasReply = outgoing.headersSent && fault?.hasReply !== false;
      const status = hasReply ? outgoing.statusCode : 0;
      const ms = performance.now() - start;
      report({ address, method, target, status, fault: fault?.kind, ms });
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
