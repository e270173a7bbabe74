import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { buildConnect } from "../../vendor/undici.ts";
import { ConnectFailure, connectFailure } from "./connect-failure.ts";
import type { Proxy } from "./proxy.ts";

/** Opens a connection for undici; `stop` aborts it. */
export type Connect = (
  options: buildConnector.Options,
  stop: AbortSignal,
  callback: buildConnector.Callback,
) => void;

/**
 * Creates a function that opens connections, through `proxy` if given. Every error becomes a ConnectFailure, after
 * which nothing was sent. (An error with one of undici's own codes would make undici reconnect for ever.)
 */
export function createConnect(proxy: Proxy | undefined): Connect {
  // `stop` has the time-out.
  const open = buildConnect({ allowH2: false, timeout: 0 });
  const direct: Connect = (options, stop, callback) => {
    const peer = options.host ?? options.hostname;
    const socket = open(options, (error, connected) => {
      stop.removeEventListener("abort", cancel);
      if (error) callback(connectFailure(error, socket, peer), null);
      else callback(null, connected);
    });
    const cancel = (): void => {
      const reason = `${peer} could not be reached in time`;
      socket.destroy(new ConnectFailure({ kind: "never_sent", reason, timedOut: true }));
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
