import type { Watcher } from "./exchange.ts";
import { learnedFrom } from "./learned.ts";
import type { PetsApiOptions } from "./options.ts";
import type { Outcome, ReplyHead } from "./outcome.ts";
import { type AskedWait, askedWait } from "./retry.ts";
import type { SendWatcher } from "./types.ts";

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

/** One send of a request that has its place at the gate. */
export class Passage implements Watcher {
  readonly #options: PetsApiOptions;
  readonly #request: PassageRequest;
  #held = false;
  #refusal: { readonly error: unknown } | undefined;
  #reply: { readonly asked: AskedWait | undefined; readonly at: number } | undefined;

  constructor(options: PetsApiOptions, request: PassageRequest) {
    this.#options = options;
    this.#request = request;
  }

  /** Whether it was kept back when it could be sent: the gate had closed, or all is to end. */
  get held(): boolean {
    return this.#held;
  }

  /** What the watcher threw in place of letting it be sent. */
  get refusal(): { readonly error: unknown } | undefined {
    return this.#refusal;
  }

  mayStart(): boolean {
    const { clock, signal } = this.#options;
    const { watcher } = this.#request;
    this.#held = signal.aborted || !this.#mayStillGo();
    if (this.#held) return false;
    const start = clock.monotonic();
    this.#tell(() => watcher?.onSend());
    if (this.#refusal !== undefined) return false;
    this.#held = clock.monotonic() - start > brief && !this.#mayStillGo();
    if (this.#held) this.#tell(() => watcher?.onRefused());
    return !this.#held;
  }

  // Others must not have to wait for the body.
  onHead(head: ReplyHead): void {
    const { gate, clock, random } = this.#options;
    const { id, strikes } = this.#request;
    const now = clock.now();
    const asked = askedWait(head, { now, random, strikes: Math.max(strikes, gate.strikes) });
    this.#reply = { asked, at: clock.monotonic() };
    gate.reply(id, learnedFrom(head, now, asked));
  }

  /** Gives the place back, once it is known how the send ended; undefined where it failed in here. */
  leave(outcome: Outcome | undefined): void {
    if (this.#reply !== undefined) return;
    const { gate } = this.#options;
    if (outcome !== undefined && isUnsent(outcome)) gate.release(this.#request.id);
    else gate.end(this.#request.id);
  }

  /** The wait that the reply asked for, or a longer one that another was asked for, from now on. */
  asked(): AskedWait | undefined {
    const { gate, clock } = this.#options;
    if (this.#reply?.asked === undefined) return undefined;
    const hold = gate.look();
    const least = !hold.go && hold.why === "blocked" ? hold.ms : 0;
    return countedFrom(this.#reply.asked, clock.monotonic() - this.#reply.at, least);
  }

  #mayStillGo(): boolean {
    return this.#options.gate.mayStillGo(this.#request.id);
  }

  #tell(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#refusal = { error };
    }
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
