import { lookup } from "node:dns";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { isLoopbackHost } from "../../core/loopback.ts";
import { maxTimerMs } from "../../platform/io.ts";
import { ConnectFailure, connectFailure, type NeverSent } from "./connect-failure.ts";
import { timedOut } from "./outcome.ts";
import { proxyName, type Proxy } from "./proxy.ts";
import type { Route } from "./tunnel.ts";

/** How long one address of a name may take to connect: Node's 250 ms are less than some round trips. */
const maxAddressMs = 2000;

/** How connections are opened to a service, or to a proxy before it. */
export interface Connector {
  /** For undici. It fails with ConnectFailures: after its own errors, undici reconnects for ever. */
  readonly connect: buildConnector.connector;
  /** Returns whether a host name is being looked up. */
  readonly isLookingUp: () => boolean;
  /** Returns why the peer refused a connection after the handshake (TLS 1.3): nothing on it was processed. */
  readonly refusal: () => NeverSent | undefined;
}

/** Returns how to connect to the host of `url`, through `proxy` if it is given. */
export function createConnector(
  { hostname }: URL,
  proxy: Proxy | undefined,
  timeoutMs: number,
): Connector {
  const timeout = Math.min(timeoutMs, maxTimerMs);
  const lookUp = createLookUp();
  const route: Route = {
    lookup: isLoopbackHost(hostname) ? lookUpLoopback : lookUp.lookup,
    // If only the second address responds, there is still time for it.
    autoSelectFamilyAttemptTimeout: Math.min(maxAddressMs, Math.ceil(timeout / 2)),
  };
  const open = buildConnector({ allowH2: false, timeout, ...route });
  let refusal: NeverSent | undefined;
  const connect: buildConnector.connector = (options, callback) => {
    const peer = options.host ?? options.hostname;
    const failed = (error: unknown): void => callback(connectFailure(error, peer), null);
    const opened = (socket: Socket): void => {
      socket.once("error", (error) => {
        refusal ??= refusalOf(error, peer);
      });
      callback(null, passOverContinue(socket));
    };
    const direct = (through: Partial<Pick<typeof options, "httpSocket">> = {}): void => {
      open({ ...options, ...through }, (error, socket) => (error ? failed(error) : opened(socket)));
    };
    const tunnelled = (httpSocket: Socket): void =>
      options.protocol === "https:" ? direct({ httpSocket }) : opened(httpSocket);
    if (proxy === undefined) direct();
    else tunnelTo(proxy, options, timeout, route).then(tunnelled, failed);
  };
  return { connect, isLookingUp: lookUp.isPending, refusal: () => refusal };
}

/** Returns what a peer that had completed the handshake says of a certificate that it requires; undefined of all else. */
function refusalOf(error: Error, peer: string): NeverSent | undefined {
  const { outcome } = connectFailure(error, peer);
  return outcome.problem === "clientCertificate" ? outcome : undefined;
}

/** Returns the system's look-up, once at a time: each takes one of Node's four threads until it ends. */
function createLookUp() {
  const waiting: Parameters<LookupFunction>[2][] = [];
  const lookUp: LookupFunction = (hostname, options, callback) => {
    if (waiting.push(callback) > 1) return;
    lookup(hostname, options, (...found) => {
      for (const each of waiting.splice(0)) each(...found);
    });
  };
  return { lookup: lookUp, isPending: () => waiting.length > 0 };
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
  route: Route,
): Promise<Socket> {
  const { openTunnel } = await import("./tunnel.ts");
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const peer = `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
  const signal = AbortSignal.timeout(timeoutMs);
  return openTunnel(proxy, peer, { ...route, signal }).catch((error: unknown) => {
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
