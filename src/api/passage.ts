import type { Watcher } from "./exchange.ts";
import { learnedFrom } from "./learned.ts";
import type { PetsApiOptions } from "./options.ts";
import type { Outcome, ReplyHead } from "./outcome.ts";
import { type AskedWait, askedWait } from "./retry.ts";

/** One send of a request that has its place at the gate. */
export interface Passage extends Watcher {
  /** Whether the gate had closed by the time that it could be sent, and it was not. */
  readonly held: boolean;
  /** Gives the place back, once it is known how the send ended; undefined where it failed in here. */
  leave(outcome: Outcome | undefined): void;
  /** The wait that the reply asked for, or a longer one that another was asked for, from now on. */
  asked(): AskedWait | undefined;
}

/** A passage with the place `id`, for a request before which replies have asked `strikes` times to wait. */
export function makePassage(
  { gate, clock, random }: PetsApiOptions,
  id: string,
  strikes: number,
): Passage {
  let held = false;
  let reply: { readonly asked: AskedWait | undefined; readonly at: number } | undefined;
  return {
    get held() {
      return held;
    },
    mayStart() {
      held = !gate.mayStillGo(id);
      return !held;
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
