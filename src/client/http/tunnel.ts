import http from "node:http";
import https from "node:https";
import type { Socket, TcpNetConnectOpts } from "node:net";
import { ConnectFailure, connectFailure } from "./connect-failure.ts";
import { statusText, timedOut } from "./outcome.ts";
import { type Proxy, proxyName } from "./proxy.ts";

/** How the address of a host is found, and how long each of several may take. */
export type Route = Pick<TcpNetConnectOpts, "lookup" | "autoSelectFamilyAttemptTimeout">;

/** Connects to a host by CONNECT (RFC 9110, 9.3.6). Rejects with a ConnectFailure that names the proxy. */
export function openTunnel(
  proxy: Proxy,
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
  timeoutMs: number,
  route: Route,
): Promise<Socket> {
  const { url, authorization } = proxy;
  const name = proxyName(proxy);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const peer = `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { request } = url.protocol === "https:" ? https : http;
  const asked = request(url, {
    method: "CONNECT",
    path: peer,
    agent: false,
    ...route,
    signal,
    headers: { host: peer, ...(authorization && { "proxy-authorization": authorization }) },
  });
  asked.on("connect", ({ statusCode = 0 }, socket, head) => {
    socket.on("error", () => {});
    // The peer says nothing before it is asked.
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(socket);
    socket.destroy();
    const what = statusCode < 300 ? "sent data behind its response" : "refused to connect";
    const reason = `${name} ${what} to ${peer}: ${statusText(statusCode)}`;
    // A refusal is final, a 5xx may be temporary.
    const final = statusCode < 500;
    const problem = statusCode === 407 ? "proxyLogin" : final ? "proxy" : "unreachable";
    return reject(new ConnectFailure({ reason, problem, final }));
  });
  asked.on("error", (error) => {
    if (signal.aborted) reject(new ConnectFailure(timedOut(hostname, name), error));
    else reject(connectFailure(error, name, true));
  });
  asked.end();
  return promise;
}
