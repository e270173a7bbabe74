import { lookup } from "node:dns";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { isLoopbackHost } from "../../core/loopback.ts";
import { type Environment, maxTimerMs } from "../../platform/io.ts";
import { connectFailure, type NeverSent } from "./connect-failure.ts";
import { timedOut } from "./outcome.ts";
import { chooseProxy, proxyName } from "./proxy.ts";
import type { Route } from "./tunnel.ts";

/** How long one address of a name may take to connect: Node's 250 ms are less than some round trips. */
const maxAddressMs = 2000;

/** How connections are opened to a service, or to a proxy before it. */
export type Connector = ReturnType<typeof createConnector>;

/** Returns how to connect to the host of `url`, through the proxy that `env` names. Throws as `chooseProxy` does. */
export function createConnector(url: URL, env: Environment, timeoutMs: number) {
  const { host, hostname } = url;
  const proxy = chooseProxy(url, env);
  const via = proxy && proxyName(proxy);
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
    const direct = (through: typeof options): void => {
      open(through, (error, socket) => (error ? failed(error) : opened(socket)));
    };
    const tunnelled = (httpSocket: Socket): void =>
      options.protocol === "https:" ? direct({ ...options, httpSocket }) : opened(httpSocket);
    if (proxy === undefined) direct(options);
    else
      import("./tunnel.ts")
        .then(({ openTunnel }) => openTunnel(proxy, options, timeout, route))
        .then(tunnelled, failed);
  };
  return {
    /** For undici. It fails with ConnectFailures: after its own errors, undici reconnects for ever. */
    connect,
    /** Returns how an attempt ends that has no connection in time. */
    notConnected: (): NeverSent => {
      if (!lookUp.isPending()) return timedOut(host, via);
      const reason = `${via ?? host} is unreachable: host name lookup timed out`;
      return { kind: "never_sent", reason, problem: "lookUpTimedOut" };
    },
    /** Returns why the peer refused a connection after the handshake (TLS 1.3): nothing on it was processed. */
    refusal: () => refusal,
  };
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
