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
  /** By the local port of the connection. */
  const refusals = new Map<number | undefined, NeverSent>();
  const connect: buildConnector.connector = (options, callback) => {
    const peer = options.host ?? options.hostname;
    const failed = (error: unknown): void => callback(connectFailure(error, peer), null);
    const opened = (socket: Socket): void => {
      const { localPort } = socket;
      socket.once("error", (error) => {
        const { outcome } = connectFailure(error, peer);
        if (outcome.problem === "clientCertificate") refusals.set(localPort, outcome);
      });
      // After undici has told what became of its request.
      socket.once("close", () => setImmediate(() => refusals.delete(localPort)));
      callback(null, passOverInterim(socket));
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
    /** Returns why the peer refused the connection of undici's `error` after the handshake (TLS 1.3): it processed nothing. */
    refusal: ({ socket }: ConnectionError) => refusals.get(socket?.localPort),
  };
}

/** An error of undici's, with the connection that it is about, if it knows. */
type ConnectionError = Error & { readonly socket?: { readonly localPort?: number } | null };

/** Returns the system's look-up, once at a time: each takes one of Node's four threads until it ends. */
function createLookUp() {
  const waiting: Parameters<LookupFunction>[2][] = [];
  const lookUp: LookupFunction = (hostname, options, callback) => {
    if (waiting.push(callback) > 1) return;
    // Loaded only for a name: a local store has an address.
    void import("node:dns").then(({ lookup }) =>
      lookup(hostname, options, (...found) => {
        for (const each of waiting.splice(0)) each(...found);
      }),
    );
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

/** Matches an interim response (RFC 9110, 15.2); after 101 comes another protocol. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d(?: [^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n/;
const maxHeadBytes = 16 * 1024;

/** Matches what may be the beginning of one, after its status. */
const interimStart = /^.{12}(?: [^\r\n]*)?(?:\r?$|\r\n(?:[^\r\n]+\r\n)*[^\r\n]*\r?$)/;

/** Returns whether a text may be the beginning of an interim response. */
function mayBeInterim(text: string): boolean {
  const [version, digits] = [text.slice(0, 10).replace("1.0", "1.1"), text.slice(10, 12)];
  if (!"HTTP/1.1 1".startsWith(version) || !/^\d*$/.test(digits) || digits === "01") return false;
  return text.length < 12 || (text.length < maxHeadBytes && interimStart.test(text));
}

/** Has `socket` leave out interim responses, which a server may send at any time before its response: undici rejects 100. */
function passOverInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let held = "";
  /** How much was written when the last response began: after more is written comes another. */
  let answered = -1;
  const pass = (chunk: Buffer): Buffer => {
    answered = socket.bytesWritten;
    held = "";
    return chunk;
  };
  socket.read = (): Buffer | null => {
    const chunk: Buffer | null = read();
    if (chunk === null) return null;
    if (
      held === "" &&
      (answered === socket.bytesWritten || !mayBeInterim(chunk.toString("latin1", 0, 12)))
    )
      return pass(chunk);
    held += chunk.toString("latin1");
    while (interim.test(held)) held = held.replace(interim, "");
    return mayBeInterim(held) ? socket.read() : pass(Buffer.from(held, "latin1"));
  };
  return socket;
}
