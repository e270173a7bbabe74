import type { Watcher } from "./exchange.ts";
import { learnedFrom } from "./learned.ts";
import type { PetsApiOptions } from "./options.ts";
import type { Outcome, ReplyHead } from "./outcome.ts";
import { type AskedWait, askedWait } from "./retry.ts";
import type { SendWatcher } from "./types.ts";

/** One send of a request that has its place at the gate. */
export interface Passage extends Watcher {
  /** Whether it was kept back when it could be sent: the gate had closed, or all is to end. */
  readonly held: boolean;
  /** What the watcher threw in place of letting it be sent. */
  readonly refusal: { readonly error: unknown } | undefined;
  /** Gives the place back, once it is known how the send ended; undefined where it failed in here. */
  leave(outcome: Outcome | undefined): void;
  /** The wait that the reply asked for, or a longer one that another was asked for, from now on. */
  asked(): AskedWait | undefined;
}

/** What is told of one passage. */
export interface PassageRequest {
  /** Its place at the gate. */
  readonly id: string;
  /** How often in a row replies have asked to wait before it. */
  readonly strikes: number;
  readonly watcher: SendWatcher | undefined;
}

/** Where the watcher takes longer than this, in ms (it waits for a disk), others may have been told to wait. */
const brief = 1;

/** A passage for one send. */
export function makePassage(
  { gate, clock, random, signal }: PetsApiOptions,
  { id, strikes, watcher }: PassageRequest,
): Passage {
  let held = false;
  let refusal: Passage["refusal"];
  let reply: { readonly asked: AskedWait | undefined; readonly at: number } | undefined;
  return {
    get held() {
      return held;
    },
    get refusal() {
      return refusal;
    },
    mayStart() {
      held = signal.aborted || !gate.mayStillGo(id);
      if (held) return false;
      const start = clock.monotonic();
      refusal = refusalBy(() => watcher?.onSend());
      held = refusal === undefined && clock.monotonic() - start > brief && !gate.mayStillGo(id);
      if (held) refusal = refusalBy(() => watcher?.onRefused());
      return !held && refusal === undefined;
    },
    // Others must not have to wait for the body.
    onHead(head: ReplyHead) {
      const now = clock.now();
      const asked = askedWait(head, { now, random, strikes: Math.max(strikes, gate.strikes) });
      reply = { asked, at: clock.monotonic() };
      gate.reply(id, learnedFrom(head, now, asked));
    },
    leave(outcome) {
      if (reply !== undefined) return;
      if (outcome !== undefined && isUnsent(outcome)) gate.release(id);
      else gate.end(id);
    },
    asked() {
      if (reply?.asked === undefined) return undefined;
      const hold = gate.look();
      const least = !hold.go && hold.why === "blocked" ? hold.ms : 0;
      return countedFrom(reply.asked, clock.monotonic() - reply.at, least);
    },
  };
}

function refusalBy(tell: () => void): Passage["refusal"] {
  try {
    tell();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function isUnsent(outcome: Outcome): boolean {
  if (outcome.kind === "aborted") return !outcome.sent;
  return outcome.kind === "never_sent" || outcome.kind === "tls";
}

/** What is left of a wait `passed` ms after it was asked for, and at least `least` ms. */
function countedFrom(
  { ms, extraMs, announcedMs }: AskedWait,
  passed: number,
  least: number,
): AskedWait {
  return {
    ms: Math.max(least, ms - passed),
    extraMs,
    announcedMs: Math.max(least, announcedMs - passed),
  };
}
