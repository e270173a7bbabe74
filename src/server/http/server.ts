import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage, ioFailure, isSystemError } from "../../core/errors.ts";
import type { UsageLedger } from "../rate-limits/usage-ledger.ts";
import {
  closeStalled,
  limitConnections,
  trackConnections,
  trackHandshakes,
} from "./connection-tracker.ts";
import { rejectMalformed } from "./malformed.ts";
import { onRequests, type RequestHandler } from "./request-intake.ts";
import { stopServer } from "./shutdown.ts";
import { type TlsIdentity, tlsOptions } from "./tls.ts";

/** What the replies to malformed requests need. */
interface MalformedParts {
  /** Counts a request that has no key, by its address. */
  readonly countAnonymous: UsageLedger["countAnonymous"];
  readonly storeId: () => string;
}

/** A server that is listening. */
export interface Listening {
  readonly address: AddressInfo;
  /** Starts to answer requests; until then they wait. */
  serve(handler: RequestHandler, malformed: MalformedParts): void;
  /** Stops listening, and resolves when the requests in flight have ended, after `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Where to listen; `now` dates the replies to malformed requests. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly tls?: TlsIdentity | undefined;
  readonly times?: ServerTimes;
  /** How many connections may be open. */
  readonly maxConnections?: number;
}

/** The default maximum of open connections; an idle one takes about 10 kB. */
const defaultMaxConnections = 4_000;

/** Listens on a port; 0 picks a free one. Throws an io Failure that names the port. */
export async function listen({
  host,
  port,
  now,
  tls,
  times = serverTimes,
  maxConnections = defaultMaxConnections,
}: ListenOptions): Promise<Listening> {
  const ready = Promise.withResolvers<void>();
  let handler: RequestHandler = (...request) => ready.promise.then(() => handler(...request));
  const server = await makeServer(tls, times);
  const isTls = tls !== undefined;
  const tracker = trackConnections(server, isTls);
  const handshakes = trackHandshakes(server, isTls);
  limitConnections(server, tracker, handshakes, maxConnections);
  closeStalled(server, tracker);
  let malformed: MalformedParts | undefined;
  const count = (remote: string) => malformed?.countAnonymous(remote, now());
  const refuse = rejectMalformed(tracker, now, count, () => malformed?.storeId());
  onRequests(server, refuse, (...request) => tracker.dispatch(...request, handler));
  const address = await bind(server, host, port);
  return {
    address,
    serve: (next, parts) => {
      handler = next;
      malformed = parts;
      ready.resolve();
    },
    stop: (graceMs) => stopServer(server, tracker, handshakes, graceMs),
  };
}

function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenFailure(error, host, port)));
    server.listen({ host, port }, () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address);
    });
  });
}

function listenFailure(error: Error, host: string, port: number): Error {
  if (isSystemError(error, "EADDRINUSE"))
    return ioFailure(
      `port ${port} on ${host} is in use`,
      error,
      "use another one with --port, or --port 0 for a free one",
    );
  return ioFailure(`can't listen on port ${port} of ${host}: ${errorMessage(error)}`, error);
}

/** How long a slow client may hold a connection, in ms. */
export interface ServerTimes {
  /**
   * From the first byte of a request, or the start of the connection, to the end of the headers.
   */
  readonly headersTimeout: number;
  /** To the end of the body. */
  readonly requestTimeout: number;
  /** From a reply to the next request. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For the TLS handshake. */
  readonly handshakeTimeout: number;
  /** While the client reads nothing of a reply. */
  readonly timeout: number;
}

/** The timeouts of a real store; tests use shorter ones. */
export const serverTimes: ServerTimes = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  handshakeTimeout: 10_000,
  timeout: 30_000,
};

/** Creates a server for HTTP/1.1, over TLS if there is an identity; it does not listen yet. */
async function makeServer(
  tls: TlsIdentity | undefined,
  { timeout, ...times }: ServerTimes,
): Promise<Server> {
  // The Host is checked in request-intake, so that the reply has an Error body.
  const options = { ...times, requireHostHeader: false };
  const server =
    tls === undefined ? createServer(options) : await makeTlsServer({ ...options, ...tls });
  server.timeout = timeout;
  return server;
}

async function makeTlsServer(options: object): Promise<Server> {
  const https = await import("node:https");
  return https.createServer({ ...options, ...tlsOptions });
}
