import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { ConnectFailure, connectFailure } from "./connect.ts";
import { statusText } from "./outcome.ts";
import type { Proxy } from "./proxy.ts";

/** Connects to `target` (`host:port`) by CONNECT (RFC 9110, 9.3.6). Rejects with a ConnectFailure that names the proxy. */
export function openTunnel(
  { url, authorization, variable }: Proxy,
  target: string,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const proxy = `the proxy ${url.origin} (${variable})`;
  const { request } = url.protocol === "https:" ? https : http;
  const asked = request({
    method: "CONNECT",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    path: target,
    agent: false,
    signal,
    headers: { host: target, ...(authorization && { "proxy-authorization": authorization }) },
  });
  asked.on("connect", ({ statusCode = 0 }, socket, head) => {
    socket.on("error", () => {});
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.destroy();
    const reason = `${proxy} refused to connect to ${target}: ${statusText(statusCode)}`;
    // A refusal is final, a 5xx may be temporary.
    const final = statusCode < 500;
    reject(new ConnectFailure({ kind: "never_sent", reason, final, byProxy: final }));
  });
  asked.on("error", (error) => reject(connectFailure(error, proxy, true)));
  asked.end();
  return promise;
}
