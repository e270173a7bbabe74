import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../core/loopback.ts";
import { bearerKey } from "../routes/auth.ts";
import { type ApiError, badRequest } from "../routes/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { type FaultKind, requestedFaultSyntax, parseRequestedFault } from "./fault-spec.ts";

/** What the lab has in mind for one request below /v1. */
export interface PlannedFault {
  readonly fault: FaultKind | undefined;
  /** Whether the fault strikes before the animal is kept. */
  readonly beforeCommit: boolean;
  /** Where a reply is cut off: a share of its body, from 0 up to 1. */
  readonly cut: number;
  /** How long the reply is held back, in ms. */
  readonly delayMs: number;
  /** What is wrong with the header that asked for trouble. */
  readonly headerError: ApiError | undefined;
}

/** A request below /v1 while it is answered. */
export interface FaultedRequest extends PlannedFault {
  /** When it came, in ms since the epoch by the store's clock. */
  readonly arrivedAt: number;
  /** The fault that strikes, known once the limits have let the request through. */
  injected: FaultKind | undefined;
  /** Called when the reply goes out. */
  onSent: () => void;
}

/** The request that is being answered, wherever on its way that is asked. */
export const requestContext = new AsyncLocalStorage<FaultedRequest>();

/** How a request fails on the wire; undefined where its reply goes out as it is. */
export function wireFault({ injected }: FaultedRequest): "reset" | "truncate" | "hang" | undefined {
  return injected === "429" || injected === "500" ? undefined : injected;
}

/** `planned`, or what the X-Pets-Fault of a request asks for in its place, where its key is valid on `storage`. */
export async function applyFaultHeader(
  planned: PlannedFault,
  incoming: IncomingMessage,
  storage: Storage,
): Promise<PlannedFault> {
  if (!(await hasKey(storage, incoming))) return planned;
  const forced = parseRequestedFault(String(incoming.headers["x-pets-fault"]));
  if (forced === undefined)
    return {
      ...planned,
      fault: undefined,
      headerError: badRequest(`X-Pets-Fault must be ${requestedFaultSyntax}`),
    };
  return "fault" in forced
    ? { ...planned, fault: forced.fault }
    : { ...planned, fault: undefined, delayMs: planned.delayMs + forced.delayMs };
}

async function hasKey(storage: Storage, { rawHeaders }: IncomingMessage): Promise<boolean> {
  try {
    return (await bearerKey(storage, rawHeaders)) !== undefined;
  } catch {
    // The store itself asks again, and tells of it.
    return false;
  }
}

/** A Host as a browser sends it, without user info that would hide another name. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Whether a request comes from this machine, and to a name of this machine: a page of another site
 * whose name was made to lead here still sends its own name as Host (store.md, Faults on demand).
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
