import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { NewPet } from "../../core/pet.ts";
import type { ApiError } from "../api/errors.ts";
import type { ApiResponse, RouteResponse, WindowState } from "../api/response.ts";
import type { Refusal } from "../rate-limits/limits.ts";

/** The clocks of a server, in ms. */
export interface ServerClocks {
  /** The store's time, since the epoch. */
  readonly now: () => number;
  /** Never goes back, regardless of the store's time. */
  readonly elapsed: () => number;
}

/** A client's connection. Only one request on it is handled at a time. */
export interface Connection {
  /** Counts the connections of this server. */
  readonly number: number;
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The request that is handled, or was handled last. */
  current?: Exchange;
  /** Resolves when the connection is done with the requests so far. */
  idle?: Promise<void>;
  /** The error that arrived instead of the rest of a body. */
  bodyError?: ApiError;
  /** Ends the reading of a body with an error, while one is read. */
  failBody?: ((error: ApiError) => void) | undefined;
  /** Called if the client resets it after its last request has ended: it did not read that response. */
  onReset?: (() => void) | undefined;
}

/** Returns the request on a connection that has no complete response yet. */
export function unanswered({ current }: Connection): Exchange | undefined {
  return current?.outgoing.closed === false ? current : undefined;
}

/** What goes wrong on the wire when a response is sent. */
export type WireFault = "reset" | "truncate" | "hang" | "slow" | "close" | "interim";

/** What goes wrong with a request on purpose. */
export interface Fault {
  /** As logs show it; there is none for latency alone. */
  readonly name?: string;
  readonly delayMs?: number;
  readonly wire?: WireFault | undefined;
  /** Where the body is truncated: a share of it, from 0 up to 1. */
  readonly cut?: number;
  /** Whether the animal of a POST is stored, regardless of the response; it is unless this is false. */
  readonly isKept?: boolean;
  /** How long a slow response takes. */
  readonly overMs?: number;
  /** Sent instead of the handler's response; a 429 takes the place of the limits. */
  readonly response?: RouteResponse;
}

/** A request, and what becomes known of it (README.md: who writes what). Moments are of `elapsed`, or `now` (`…AtStore`). */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly connection: Connection;
  readonly clocks: ServerClocks;
  readonly method: string;
  /** Path and query, without scheme and host. */
  readonly target: string;
  /** The path of the target, percent-decoded once, without dot segments. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Whether its path is /v1 or below. */
  readonly isService: boolean;
  /** The host that it is for, with its port; undefined unless exactly one, valid one is named. */
  readonly host: string | undefined;
  readonly arrivedAt: number;
  readonly arrivedAtStore: number;

  /** Whether the page sent it: then it needs no key and counts towards no limit. */
  isPage = false;
  /** The API key that it carries, valid or not; only a valid one has an id. */
  key: string | undefined;
  keyId: string | undefined;
  /** Its body, or why it could not be read; undefined where nothing reads it. */
  body: Uint8Array | ApiError | undefined;
  /** Whether it came before its key's Retry-After had elapsed. */
  isEarly = false;
  /** What the limits refused it for; not for a forced 429. */
  refusal: Refusal | undefined;
  fault: Fault | undefined;
  window: WindowState | undefined;
  /** The animal that it added, regardless of the response. */
  added: { readonly id: bigint; readonly pet: NewPet } | undefined;

  /** What was sent of a response, and when its first part was; undefined where there was no client. */
  sent: (ApiResponse & { readonly at: number; readonly atStore: number }) | undefined;
  /** Whether the system has accepted the complete response. */
  isComplete = false;
  /** When the client left before it had the response: the first sign of it. */
  leftAt: number | undefined;
  /** When its handler was done, and the connection with it. */
  endedAt = Number.NaN;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: Connection,
    clocks: ServerClocks,
  ) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.connection = connection;
    this.clocks = clocks;
    this.method = incoming.method ?? "";
    const { target, path, query, host } = readTarget(incoming);
    this.target = target;
    this.path = path;
    this.query = query;
    this.isService = isBelow(path, "/v1");
    this.host = host;
    this.arrivedAt = clocks.elapsed();
    this.arrivedAtStore = clocks.now();
  }
}

/** An exchange that has ended: nothing about it changes any more. */
export type EndedExchange = Readonly<Exchange>;

/** Called with each exchange once it has ended: the connection is done with it, and its handler too. */
export type ExchangeListener = (exchange: EndedExchange) => void;

/** What most clients send: a path that needs no decoding, and a query. */
const plainForm = /^(\/[\w/]*)(?:\?([^\\#]*))?$/;
const absoluteForm = /^https?:\/\//i;
/** What `uri-host [":" port]` may contain (RFC 9110, 7.2). */
const hostForm = /^[\w.~:[\]!$&'()*+,;=%-]*$/;

/** Returns the parts of a request's target, and the host, which an absolute target replaces (RFC 9112, 3.2.2). */
export function readTarget({ url: text = "", headers, httpVersion }: IncomingMessage) {
  const named = headers.host ?? (httpVersion === "1.0" ? "" : undefined);
  const host = named !== undefined && isHost(named) ? named : undefined;
  const [, plainPath, plainQuery = ""] = plainForm.exec(text) ?? [];
  if (plainPath !== undefined) return { target: text, path: plainPath, query: plainQuery, host };
  // For a URL parser a backslash is a slash.
  const escaped = text.replaceAll("\\", "%5C");
  const isAbsolute = absoluteForm.test(escaped) && URL.canParse(escaped);
  const local = escaped.startsWith("/") ? escaped : "/*";
  const url = new URL(isAbsolute ? escaped : `http://localhost${local}`);
  return {
    target: isAbsolute ? url.pathname + url.search : local,
    path: decodePath(url.pathname),
    query: url.search.slice(1),
    host: isAbsolute && host !== undefined ? url.host : host,
  };
}

function isHost(text: string): boolean {
  return text === "" || (hostForm.test(text) && URL.canParse(`http://${text}`));
}

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Returns whether `path` is `prefix` or a path below it. */
export function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
