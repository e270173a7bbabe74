import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { buildConnect } from "../../vendor/undici.ts";
import { ConnectFailure, connectFailure } from "./connect-failure.ts";
import type { Proxy } from "./proxy.ts";

/** Makes a connection for undici; `stop` ends the attempt. */
export type Connect = (
  options: buildConnector.Options,
  stop: AbortSignal,
  callback: buildConnector.Callback,
) => void;

/**
 * Makes connections, through `proxy` where there is one. Every failure comes out as a
 * ConnectFailure: whatever fails in here was never sent. (undici itself would take a failure that
 * carries one of its own codes for a reason to connect anew, for ever.)
 */
export function makeConnect(proxy: Proxy | undefined): Connect {
  // The time is kept by whoever aborts `stop`.
  const open = buildConnect({ allowH2: false, timeout: 0 });
  const direct: Connect = (options, stop, callback) => {
    const whom = options.host ?? options.hostname;
    const socket = open(options, (error, connected) => {
      stop.removeEventListener("abort", cancel);
      if (error) callback(connectFailure(error, socket, whom), null);
      else callback(null, connected);
    });
    const cancel = (): void => {
      socket.destroy(new ConnectFailure("network", `${whom} could not be reached in time`));
    };
    stop.addEventListener("abort", cancel);
    if (stop.aborted) cancel();
  };
  if (proxy === undefined) return direct;
  return (options, stop, callback) => {
    const connected = (httpSocket: Socket): void => {
      if (options.protocol === "https:") direct({ ...options, httpSocket }, stop, callback);
      else callback(null, httpSocket);
    };
    const failed = (error: unknown): void => {
      callback(connectFailure(error, undefined, options.hostname), null);
    };
    tunnelTo(proxy, options, stop).then(connected, failed);
  };
}

async function tunnelTo(
  proxy: Proxy,
  { hostname, port, protocol }: buildConnector.Options,
  stop: AbortSignal,
): Promise<Socket> {
  const { openTunnel } = await import("./tunnel.ts");
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const target = `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
  return openTunnel(proxy, target, stop);
}
