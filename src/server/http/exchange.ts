import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ApiError } from "../api/errors.ts";
import type { ApiResponse, RouteResponse, WindowState } from "../api/response.ts";
import type { Moment } from "../clock.ts";
import type { Refusal } from "../rate-limits/limits.ts";

/** A client's connection. Only one request on it is handled at a time. */
export interface Connection {
  /** Counts the connections of this server. */
  readonly number: number;
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The request that is handled, or was handled last. */
  current?: Arrived;
  /** The request that arrived last; it may wait for those before it. */
  latest?: Arrived;
  /** Resolves when the connection is done with the requests so far. */
  idle?: Promise<void>;
  /** The error that arrived instead of the rest of a body. */
  bodyError?: ApiError;
  /** Ends the reading of a body with an error, while one is read. */
  failBody?: ((error: ApiError) => void) | undefined;
  /** When the client left, in real time: the first sign of it. */
  leftAt?: number;
  /** Called if the client resets it after its last request has ended: it did not read that response. */
  onReset?: (() => void) | undefined;
}

/** Returns the request on a connection that has no complete response yet. */
export function unanswered({ current }: Connection): Arrived | undefined {
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

/** A request whose head has arrived. */
export class Arrived {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly connection: Connection;
  /** Returns the current moment. */
  readonly now: () => Moment;
  readonly at: Moment;
  readonly method: string;
  /** Path and query, without scheme and host. */
  readonly target: string;
  /** The path of the target, percent-decoded once; dot segments are kept, so that they match no route. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** Whether its path is /v1 or below. */
  readonly isService: boolean;
  /** The host that it is for, with its port; undefined unless exactly one, valid one is named. */
  readonly host: string | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: Connection,
    now: () => Moment,
  ) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.connection = connection;
    this.now = now;
    this.at = now();
    this.method = incoming.method ?? "";
    const { target, path, query, host } = readTarget(incoming);
    this.target = target;
    this.path = path;
    this.query = query;
    this.isService = isBelow(path, "/v1");
    this.host = host;
  }
}

/** What was decided on a request, once. */
export type Decision = Outcome & {
  /** Whether it came before its key's Retry-After had elapsed. */
  readonly isEarly?: boolean;
  readonly fault?: Fault | undefined;
  /** Why the limits refused it; undefined for a forced 429. */
  readonly refusal?: Refusal | undefined;
  /** The limits that its response shows; undefined outside /v1. */
  readonly window?: WindowState | undefined;
};

/** Whether it is carried out, and what is sent in place of its own response. */
type Outcome =
  | { readonly carryOut: true; readonly reply?: RouteResponse | undefined }
  | { readonly carryOut: false; readonly reply: RouteResponse };

/** The decision on a request that no limit and no fault concerns. */
export const carriedOut: Decision = { carryOut: true };

/** A request that was decided on, once its sender was checked and its body read. */
export interface Admitted {
  readonly request: Arrived;
  readonly decision: Decision;
  /** Whether the page sent it: then it needs no key and counts towards no limit. */
  readonly isPage: boolean;
  /** The API key that it carries, valid or not; only a valid one has an id. */
  readonly key?: string | undefined;
  readonly keyId?: string | undefined;
  /** Its body, or why it could not be read; undefined where nothing reads it. */
  readonly body?: Uint8Array | ApiError | undefined;
  /** Returns whether its key still has its right, for a response that goes on. */
  readonly isStillAllowed?: () => Promise<boolean>;
}

/** What was sent of a response, and when its first part was. */
export interface Sent extends ApiResponse {
  readonly at: Moment;
}

/** A request that has ended: the connection is done with it, and its handler too. Nothing of it changes any more. */
export interface Ended extends Admitted {
  /** Undefined where nothing was sent. */
  readonly sent: Sent | undefined;
  /** Whether the system has accepted the complete response. */
  readonly isComplete: boolean;
  /** The animal that it added, regardless of the response. */
  readonly added: RouteResponse["added"];
  /** When the client left before it had the response, and when the request had ended, in real time. */
  readonly leftAt: number | undefined;
  readonly endedAt: number;
}

/** Called with each request that has ended. */
export type EndListener = (ended: Ended) => void;

/** What most clients send: a path that needs no decoding, and a query. */
const plainForm = /^(\/[\w/]*)(?:\?([^\\#]*))?$/;
/** Scheme and authority of a target in absolute form, and the rest (RFC 9112, 3.2.2). */
const absoluteForm = /^(https?:\/\/[^/?#\\]+)(.*)$/is;
/** What `uri-host [":" port]` may contain (RFC 9110, 7.2). */
const hostForm = /^[\w.~:[\]!$&'()*+,;=%-]*$/;

/** Returns the parts of a request's target, and the host, which an absolute target replaces (RFC 9112, 3.2.2). */
export function readTarget({ url: text = "", headers, httpVersion }: IncomingMessage) {
  const named = headers.host ?? (httpVersion === "1.0" ? "" : undefined);
  const host = named !== undefined && isHost(named) ? named : undefined;
  const [, plainPath, plainQuery = ""] = plainForm.exec(text) ?? [];
  if (plainPath !== undefined) return { target: text, path: plainPath, query: plainQuery, host };
  const [, origin = "", rest = ""] = absoluteForm.exec(text) ?? [];
  const own = URL.parse(origin);
  const local = own === null ? text : rest.replace(/^(?!\/)/, "/");
  const target = local.startsWith("/") ? local : "/*";
  const [path = "", query = ""] = target.replace(/#.*/s, "").split(/\?(.*)/s);
  return {
    target,
    path: decodePath(path),
    query,
    host: own !== null && host !== undefined ? own.host : host,
  };
}

/** The last valid host, as most clients name the same. */
let lastHost = "localhost";

function isHost(text: string): boolean {
  if (text === "" || text === lastHost) return true;
  const isValid = hostForm.test(text) && URL.canParse(`http://${text}`);
  if (isValid) lastHost = text;
  return isValid;
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
