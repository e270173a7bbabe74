import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { NewPet } from "../../core/pet.ts";
import type { ApiError } from "../api/errors.ts";
import type { ApiResponse } from "../api/response.ts";
import { isHostValid, parseTarget } from "./target.ts";

/** The clocks of a server, in ms. */
export interface ServerClocks {
  /** The store's time, since the epoch. */
  readonly now: () => number;
  /** Never goes back, whatever the store's time does. */
  readonly elapsed: () => number;
}

/** A client's connection. Only one request on it is handled at a time. */
export class Connection {
  /** Numbers the connections of this server. */
  readonly number: number;
  readonly socket: Socket;
  readonly remoteAddress: string;
  /** Whether it is closed after the response that is being made, because the server stops. */
  isClosing = false;
  /** The request on it that is handled, or was handled last. */
  current: Exchange | undefined;
  /** The request on it that arrived last; it may wait for those before it. */
  latest: Exchange | undefined;
  /** The error that arrived instead of the rest of a body. */
  bodyError: ApiError | undefined;
  /** Ends the reading of a body with an error; returns false if the body is complete. */
  abortBody: ((error: ApiError) => boolean) | undefined;
  /** Called if the client resets it after its last request has ended: it did not read that response. */
  onReset: (() => void) | undefined;

  constructor(number: number, socket: Socket) {
    this.number = number;
    this.socket = socket;
    this.remoteAddress = socket.remoteAddress ?? "";
  }

  /** Whether a request on it has no complete response yet. */
  get isBusy(): boolean {
    return this.latest?.isClosed === false;
  }
}

/** What goes wrong on the wire when a response is sent. */
export type WireFault = "reset" | "truncate" | "hang" | "slow" | "close" | "interim";

/** The trouble that a request gets. */
export interface PlannedFault {
  /** As logs show it; undefined if there is only latency. */
  readonly name: string | undefined;
  /** How long the response is delayed, in ms. */
  readonly delayMs: number;
  readonly wire: WireFault | undefined;
  /** Where the body is truncated: a share of it, from 0 up to 1. */
  readonly cut: number;
  /** Whether the animal of a POST is stored, whatever the response says. */
  readonly isKept: boolean;
  /** How long a slow response takes, in ms. */
  readonly overMs: number;
}

/** Why a key may not send now. Times are ms since the epoch by the store's clock. */
interface Refusal {
  /** When the limit or ban itself ends, to which `Retry-After` is rounded up. */
  readonly until: number;
  readonly isBan: boolean;
}

/**
 * A request, and what becomes known of it until it has ended: one object a request, made when its head has
 * arrived. Moments are ms by a clock that never goes back, or by the store's (`…AtStore`, since the epoch).
 */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly connection: Connection;
  readonly method: string;
  /** Path and query, without scheme and host. */
  readonly target: string;
  /** The path of the target, percent-decoded once, without dot segments. */
  readonly path: string;
  /** Whether it is for the service itself: its path is /v1 or below. */
  readonly isService: boolean;
  /** Whether there is exactly one Host, and a valid one. */
  readonly hasValidHost: boolean;
  readonly arrivedAt: number;
  readonly arrivedAtStore: number;
  /** Whether the page sent it: then it needs no key and counts towards no limit. */
  isPage = false;
  /** The API key that it carries, valid or not. */
  key: string | undefined;
  /** The id of its valid key. */
  keyId: string | undefined;
  /** Whether it came before its key's Retry-After had elapsed. */
  isEarly = false;
  /** What the limits refused it for; not for a forced 429. */
  refusal: Refusal | undefined;
  fault: PlannedFault | undefined;
  /** When the first response was sent that announced the wait which this one announces too. */
  announcement: { sentAt: number } | undefined;
  /** Its body, once somebody wants to read it. */
  body: Promise<Uint8Array> | undefined;
  /** What was read of its body. */
  bodyBytes: Uint8Array | undefined;
  /** The animal that it added, whatever the response says. */
  added: { readonly id: bigint; readonly pet: NewPet } | undefined;
  /** The response as it was decided. */
  response: ApiResponse | undefined;
  /** What was sent of it, as far as there was a client. */
  sent: Pick<ApiResponse, "status" | "headers" | "body"> | undefined;
  /** When it, or its first part, was sent. */
  sentAt: number | undefined;
  sentAtStore: number | undefined;
  /** Whether the connection is done with it. */
  isClosed = false;
  /** Whether the system has accepted the complete response. */
  isComplete = false;
  /** When the client left before it had the response: the first sign of it. */
  leftAt: number | undefined;
  /** What has not ended yet: its handler, and what the connection has to do for it. */
  openParts = 2;
  /** Are told when both have ended. */
  listeners: readonly ExchangeListener[] = [];
  /** When both had ended; NaN until then. */
  endedAt = Number.NaN;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: Connection,
    clocks: ServerClocks,
  ) {
    const { method = "", url = "" } = incoming;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.connection = connection;
    this.method = method;
    const { target, path, isService, authority } = parseTarget(url);
    this.target = target;
    this.path = path;
    this.isService = isService;
    this.hasValidHost = isHostValid(incoming);
    this.arrivedAt = clocks.elapsed();
    this.arrivedAtStore = clocks.now();
    // RFC 9112, 3.2.2: the target's own host replaces the header.
    if (authority !== undefined) incoming.headers.host = authority;
  }
}

/** An exchange that is over: nothing about it changes any more. */
export type EndedExchange = Readonly<Exchange>;

/** Is told of each exchange once it has ended: the connection is done with it, and its handler too. */
export type ExchangeListener = (exchange: EndedExchange) => void;
