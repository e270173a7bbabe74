import type { IncomingMessage } from "node:http";

/** What is noted about a request while it is handled, for the logs. */
export interface RequestNotes {
  /** Whether the page sent it: then it needs no key and counts towards no limit. */
  isPage: boolean;
  /** The id of its valid key. */
  keyId: string | undefined;
  /** Whether it arrived before its key's Retry-After was over. */
  isEarly: boolean;
  /** When the limit or ban that refused it ends, in ms since the epoch. */
  refusedUntil: number | undefined;
  /** When the ban that refused it ends, in ms since the epoch. */
  bannedUntil: number | undefined;
  /** The fault that was injected. */
  fault: string | undefined;
  /** Its body, as far as it was read. */
  body: Uint8Array | undefined;
  reply: NotedReply | undefined;
  /** Whether a fault suppresses the reply, or still delays it. */
  isWithheld: boolean;
}

/** A reply as it is sent. */
interface NotedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

// A property rather than a WeakMap, which would cost the garbage collector time for each request.
const notesKey = Symbol("notes");

/** Returns the notes of a request, which its handlers read and write. */
export function notesOf(incoming: IncomingMessage & { [notesKey]?: RequestNotes }): RequestNotes {
  return (incoming[notesKey] ??= emptyNotes());
}

function emptyNotes(): RequestNotes {
  return {
    isPage: false,
    keyId: undefined,
    isEarly: false,
    refusedUntil: undefined,
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
