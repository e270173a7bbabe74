import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { errorCode } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { maxTimerMs } from "../../platform/io.ts";
import { ConnectFailure, connectFailure } from "./connect-failure.ts";
import { timedOut } from "./outcome.ts";
import { proxyName, type Proxy } from "./proxy.ts";

/** Returns what opens undici's connections. It fails with ConnectFailures: after its own, undici reconnects for ever. */
export function createConnect(
  { hostname }: URL,
  proxy: Proxy | undefined,
  timeoutMs: number,
): buildConnector.connector {
  const timeout = Math.min(timeoutMs, maxTimerMs);
  const lookup = isLoopbackHost(hostname) ? { lookup: lookUpLoopback } : {};
  const open = buildConnector({ allowH2: false, timeout, ...lookup });
  // So it would after a connection that ended before anything was sent on it.
  let lost: ConnectFailure | undefined;
  return (options, callback) => {
    const peer = options.host ?? options.hostname;
    const failed = (error: unknown): void => callback(connectFailure(error, peer), null);
    const opened = (socket: Socket): void => {
      socket.once("error", (error) => {
        if (socket.bytesWritten > 0 || errorCode(error) === "UND_ERR_INFO") return;
        const reason = `${peer} closed the connection before the request was sent`;
        lost = new ConnectFailure({ reason, problem: "unreachable" }, error);
      });
      callback(null, passOverContinue(socket));
    };
    const direct = (through: Partial<Pick<typeof options, "httpSocket">> = {}): void => {
      open({ ...options, ...through }, (error, socket) => (error ? failed(error) : opened(socket)));
    };
    const tunnelled = (httpSocket: Socket): void =>
      options.protocol === "https:" ? direct({ httpSocket }) : opened(httpSocket);
    const earlier = lost;
    lost = undefined;
    if (earlier !== undefined) failed(earlier);
    else if (proxy === undefined) direct();
    else tunnelTo(proxy, options, timeout).then(tunnelled, failed);
  };
}

const loopback = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
/** Returns the addresses of loopback, which no DNS is asked for (RFC 6761, 6.3). */
const lookUpLoopback: LookupFunction = (_hostname, { all }, callback) =>
  all ? callback(null, loopback) : callback(null, "127.0.0.1", 4);

async function tunnelTo(
  proxy: Proxy,
  { hostname, port, protocol }: buildConnector.Options,
  timeoutMs: number,
): Promise<Socket> {
  const { openTunnel } = await import("./tunnel.ts");
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const peer = `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  return openTunnel(proxy, peer, signal).catch((error: unknown) => {
    if (signal.aborted) throw new ConnectFailure(timedOut(hostname, proxyName(proxy)), error);
    throw error;
  });
}

const continueStart = /^HTTP\/1\.[01] 100[ \r]/;
const continueHeads = /^(?:HTTP\/1\.[01] 100[ \r][^]*?\r\n\r\n)+/;
const maxHeadBytes = 16 * 1024;

/** Has `socket` leave out each `100 Continue`, which a server may send at any time (RFC 9110, 15.2): undici rejects it. */
function passOverContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let held = "";
  socket.read = (): Buffer | null => {
    const chunk: Buffer | null = read();
    if (chunk === null || (held === "" && !continueStart.test(chunk.toString("latin1", 0, 13))))
      return chunk;
    held = (held + chunk.toString("latin1")).replace(continueHeads, "");
    if (held === "" || (continueStart.test(held) && held.length < maxHeadBytes))
      return socket.read();
    const rest = Buffer.from(held, "latin1");
    held = "";
    return rest;
  };
  return socket;
}
