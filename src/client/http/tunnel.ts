import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { ConnectFailure, connectFailure } from "./connect.ts";
import { statusText } from "./outcome.ts";
import type { Proxy } from "./proxy.ts";

/** Connects to `target` (`host:port`) by CONNECT (RFC 9110, 9.3.6). Rejects with a ConnectFailure that names `proxy`. */
export function openTunnel(proxy: Proxy, target: string, stop: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const request = requestTunnel(proxy, target, stop);
  request.on("connect", (reply, socket, head) => {
    socket.on("error", () => {});
    const status = reply.statusCode ?? 0;
    if (status >= 200 && status < 300) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    } else {
      socket.destroy();
      reject(refusal(proxy, target, status));
    }
  });
  request.on("error", (error) => {
    reject(connectFailure(error, named(proxy), true));
  });
  request.end();
  return promise;
}

function requestTunnel(proxy: Proxy, target: string, stop: AbortSignal): http.ClientRequest {
  const { protocol, hostname, port } = proxy.url;
  const { request } = protocol === "https:" ? https : http;
  return request({
    method: "CONNECT",
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port || (protocol === "https:" ? 443 : 80),
    path: target,
    agent: false,
    signal: stop,
    headers: {
      host: target,
      ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }),
    },
  });
}

/** Returns the failure for a proxy's `status`: a refusal is final, a 5xx may be temporary. */
function refusal(proxy: Proxy, target: string, status: number): ConnectFailure {
  const reason = `${named(proxy)} refused to connect to ${target}: ${statusText(status)}`;
  const final = status < 500;
  return new ConnectFailure({ kind: "never_sent", reason, final, byProxy: final });
}

function named({ url, variable }: Proxy): string {
  return `the proxy ${url.origin} (${variable})`;
}
