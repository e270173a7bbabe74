import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ioFailure } from "../../core/errors.ts";
import { isSystemError } from "../../platform/private-files.ts";
import { limitConnections, closeStalled, trackHandshakes } from "./connection-tracker.ts";
import { trackConnections } from "./flights.ts";
import type { UsageLedger } from "../rate-limits/usage-ledger.ts";
import { makeServer, type ServerTimes, serverTimes } from "./http-server.ts";
import { rejectMalformed } from "./malformed.ts";
import { stopServer } from "./shutdown.ts";
import { onRequests } from "./request-intake.ts";
import type { TlsIdentity } from "./tls.ts";

/** What answers a request. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** A port that is listened on. */
export interface Listening {
  readonly address: AddressInfo;
  /** Requests wait until it is called. `countAnonymous` counts what is none, by the remote address. */
  answerWith(answer: Answer, countStranger: UsageLedger["countAnonymous"]): void;
  /** Stops listening, and resolves when the requests in flight have ended, after `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Where to listen; `now` dates what has to be said of malformed requests. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly tls?: TlsIdentity | undefined;
  readonly times?: ServerTimes;
  /** How many connections may be open. */
  readonly most?: number;
}

/** How many connections may be open, unless told otherwise: some 10 kB each while they idle. */
const mostConnections = 4_000;

/** Listens on a port; 0 takes a free one. Throws an io Failure that names it. */
export async function listen({
  host,
  port,
  now,
  tls,
  times = serverTimes,
  most = mostConnections,
}: ListenOptions): Promise<Listening> {
  const ready = Promise.withResolvers<void>();
  let answer: Answer = (incoming, outgoing) => ready.promise.then(() => answer(incoming, outgoing));
  const server = await makeServer(tls, times);
  const isTls = tls !== undefined;
  const flights = trackConnections(server, isTls);
  const handshakes = trackHandshakes(server, isTls);
  limitConnections(server, flights, handshakes, most);
  closeStalled(server, flights);
  let count: UsageLedger["countAnonymous"] | undefined;
  const refuse = rejectMalformed(flights, now, (remote) => count?.(remote, now()));
  onRequests(server, refuse, (incoming, outgoing) => flights.dispatch(incoming, outgoing, answer));
  const address = await bind(server, host, port);
  return {
    address,
    answerWith: (next, countStranger) => {
      answer = next;
      count = countStranger;
      ready.resolve();
    },
    stop: (graceMs) => stopServer(server, flights, handshakes, graceMs),
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
      "give another one with --port, or --port 0 for a free one",
    );
  return ioFailure(`can't listen on port ${port} of ${host}: ${error.message}`, error);
}
