import type { IncomingMessage } from "node:http";

/** What is noted of a request on its way, for the logs. */
export interface RequestNotes {
  /** Whether the page sent it: it needs no key, and no limit counts it. */
  isPage: boolean;
  /** The id of its valid key. */
  keyId: string | undefined;
  /** Whether it came inside a Retry-After. */
  isEarly: boolean;
  /** When the ban that it met ends, in ms since the epoch. */
  bannedUntil: number | undefined;
  /** The fault that was injected. */
  fault: string | undefined;
  /** Its body, as far as it was read. */
  body: Uint8Array | undefined;
  reply: NotedReply | undefined;
  /** Whether a fault keeps the reply from being sent, or has not sent it yet. */
  isWithheld: boolean;
}

/** A reply as it is sent. */
interface NotedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

// A property and not a WeakMap, which the garbage collector would look through for each request.
const notesKey = Symbol("notes");

/** Returns the notes of a request, to be read and written by whoever handles it. */
export function notesOf(incoming: IncomingMessage & { [notesKey]?: RequestNotes }): RequestNotes {
  return (incoming[notesKey] ??= emptyNotes());
}

function emptyNotes(): RequestNotes {
  return {
    isPage: false,
    keyId: undefined,
    isEarly: false,
    bannedUntil: undefined,
    fault: undefined,
    body: undefined,
    reply: undefined,
    isWithheld: false,
  };
}

/** Returns the reply that a request got, or undefined if nothing was answered. */
export function sentReply({ reply, isWithheld }: RequestNotes): NotedReply | undefined {
  return isWithheld ? undefined : reply;
}
