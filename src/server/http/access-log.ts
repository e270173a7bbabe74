import type { ServerResponse } from "node:http";
import type { RequestHandler } from "./request-intake.ts";

/** One request and its reply, for whoever watches. Nothing in it is a key. */
export interface AccessLogEntry {
  /** Who asked: an IP address, or empty where that is not known any more. */
  readonly address: string;
  readonly method: string;
  /** Path and query as they came; text from outside. */
  readonly target: string;
  /** 0 where there was no reply: the client went away, or a fault was asked for. */
  readonly status: number;
  /** The fault that was asked for. */
  readonly fault: string | undefined;
  readonly ms: number;
}

/** A fault that a reply was made to meet. */
interface InjectedFault {
  readonly kind: string;
  /** Whether any of the reply goes out. */
  readonly hasReply: boolean;
}

const madeFaults = new WeakMap<ServerResponse, InjectedFault>();
const bearer = /^Bearer +/i;
const key = /pets_[0-9A-Za-z]{32}/g;

/** Lets the report of a request tell of a fault that it was made to meet. */
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

/** `target` without anything that is a key: one made here, or the one of the request. */
function withoutKeys(target: string, authorization: string): string {
  const token = authorization.replace(bearer, "");
  const masked = target.replaceAll(key, "…");
  return token === "" ? masked : masked.replaceAll(token, "…");
}
