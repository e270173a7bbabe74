import type { Answer } from "./server.ts";

/** One request and its reply, for whoever watches. Nothing in it is a key. */
export interface RequestReport {
  /** Who asked: an IP address, or empty where that is not known any more. */
  readonly address: string;
  readonly method: string;
  /** Path and query as they came; text from outside. */
  readonly target: string;
  /** 0 where the client went away before there was a reply. */
  readonly status: number;
  readonly ms: number;
}

const bearer = /^Bearer +/i;
const key = /pets_[0-9A-Za-z]{32}/g;

/** `answer`, which also tells `report` of each request when it is over. */
export function reportTo(report: (report: RequestReport) => void, answer: Answer): Answer {
  return (incoming, outgoing) => {
    const start = performance.now();
    const { method = "", url = "", headers } = incoming;
    const address = incoming.socket.remoteAddress ?? "";
    const target = withoutKeys(url, headers.authorization ?? "");
    outgoing.once("close", () => {
      const status = outgoing.headersSent ? outgoing.statusCode : 0;
      report({ address, method, target, status, ms: performance.now() - start });
    });
    return answer(incoming, outgoing);
  };
}

/** `target` without anything that is a key: one made here, or the one of the request. */
function withoutKeys(target: string, authorization: string): string {
  const token = authorization.replace(bearer, "");
  const masked = target.replaceAll(key, "…");
  return token === "" ? masked : masked.replaceAll(token, "…");
}
