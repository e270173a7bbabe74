import { createServer, type Server } from "node:http";
import { type TlsIdentity, tlsMinimum } from "./tls.ts";

/** How long a slow client may hold a connection, in ms. */
export interface ServerTimes {
  /** From the first byte of a request, or the connection, to the end of the headers. */
  readonly headersTimeout: number;
  /** To the end of the body. */
  readonly requestTimeout: number;
  /** From a reply to the next request. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For the handshake of TLS. */
  readonly handshakeTimeout: number;
  /** Without taking anything of a reply that is ready. */
  readonly timeout: number;
}

/** The times of a store that serves for real. */
export const serverTimes: ServerTimes = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  handshakeTimeout: 10_000,
  timeout: 30_000,
};

/** A server over HTTP/1.1, and over TLS where there is an identity for it; it does not listen yet. */
export async function makeServer(
  tls: TlsIdentity | undefined,
  { timeout, ...times }: ServerTimes,
): Promise<Server> {
  // The Host is looked at when a request is taken, to be answered with an Error body.
  const options = { ...times, requireHostHeader: false };
  const server =
    tls === undefined ? createServer(options) : await makeTlsServer({ ...options, ...tls });
  server.timeout = timeout;
  return server;
}

async function makeTlsServer(options: object): Promise<Server> {
  const https = await import("node:https");
  return https.createServer({ ...options, ...tlsMinimum });
}
