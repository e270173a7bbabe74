import type { FaultKind } from "../../core/enums.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { RequestNotes } from "../http/request-notes.ts";
import { bearerKey } from "../routes/auth.ts";
import { type ApiError, badRequest } from "../routes/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { parseRequestedFault, type RequestedFault, requestedFaultSyntax } from "./fault-spec.ts";
import type { PlannedFault } from "./plan.ts";

/** A request below /v1 until its reply is sent. */
export interface FaultedRequest extends PlannedFault {
  /** The error of an invalid X-Pets-Fault header. */
  readonly headerError: ApiError | undefined;
  /** The delay that X-Pets-Fault requests, as it is listed: `delay=900`. */
  readonly requestedDelay: string | undefined;
  /** When it arrived, in ms since the epoch by the store's clock. */
  readonly arrivedAt: number;
  readonly notes: RequestNotes;
  /**
   * Reads what the draw for a request with this key depends on, or nothing if there is none. Returns a
   * function that draws.
   */
  readonly prepareLuck: (keyId: string) => Promise<() => void>;
  /** The fault that happens, known once the limits have admitted the request. */
  injected: FaultKind | undefined;
  /** Called when the reply is sent. */
  onSent: () => void;
}

/** The current request, for code that has no parameter for it. */
export const requestContext = new AsyncLocalStorage<FaultedRequest>();

/** Returns how a request fails on the wire; undefined if its reply is sent unchanged. */
export function wireFault({ injected }: FaultedRequest): "reset" | "truncate" | "hang" | undefined {
  return injected === "429" || injected === "500" ? undefined : injected;
}

/**
 * Returns the meaning of a request's X-Pets-Fault header, or the ApiError for an invalid one; undefined
 * unless the request's key is valid on `storage`.
 */
export async function readFaultHeader(
  incoming: IncomingMessage,
  storage: Storage,
): Promise<RequestedFault | ApiError | undefined> {
  if (!(await hasKey(storage, incoming))) return undefined;
  const requested = parseRequestedFault(String(incoming.headers["x-pets-fault"]));
  return requested ?? badRequest(`X-Pets-Fault must be ${requestedFaultSyntax}`);
}

async function hasKey(storage: Storage, { rawHeaders }: IncomingMessage): Promise<boolean> {
  try {
    return (await bearerKey(storage, rawHeaders)) !== undefined;
  } catch {
    // The router looks the key up again, and reports the error.
    return false;
  }
}

/** Matches a Host as browsers send it: without user info, which could hide another name. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Returns whether a request comes from this machine, and is for a name of this machine: with DNS rebinding,
 * the page of another site still sends its own name as Host (store.md, Faults on demand).
 */
export function isLocalRequest({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? "";
  const peer = address.includes(":") ? `[${address}]` : address;
  return isLoopback(peer) && isLoopback(headers.host ?? "");
}

function isLoopback(host: string): boolean {
  const url = hostForm.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isLoopbackHost(url.hostname);
}
