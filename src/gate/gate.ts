import type { Clock, Machine } from "../io.ts";
import type { Decision, Hold } from "./decide.ts";
import type { GateLog } from "./log.ts";
import { Lookout } from "./lookout.ts";
import { Pen } from "./pen.ts";
import { placeId } from "./place-id.ts";
import { isNoNews, leavesItsPlace } from "./plenty.ts";
import type { GateEvent, Learned } from "./records.ts";
import { SharedLog, type SharedLogOptions } from "./shared-log.ts";
import type { Stamp } from "./stamp.ts";
import { type GateView, viewOf } from "./view.ts";

/** What a gate needs. */
export interface GateOptions extends Omit<SharedLogOptions, "now"> {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Machine;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** Does a step at the end of this turn of the event loop; `setImmediate` by default. */
  readonly soon?: (step: () => void) => void;
}

/** Whether a request may be sent, now, with this place; or what it has to wait for. */
export type Answer = { readonly go: true; readonly id: string } | (Hold & { readonly go: false });

/**
 * The one door of all requests with a key to an origin, shared by all processes of the user
 * (rate-limits.md, The gate). Where the state can't be used, the rules hold within this process.
 * It throws nothing, and waits for nobody.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #log: SharedLog;
  /** The places of this process that are not given back. */
  readonly #own = new Set<string>();
  /** Those of them that another request had before, as there are requests in plenty. */
  readonly #takenOver = new Set<string>();
  readonly #pen: Pen;
  /** Whether one of its requests has had its reply: most processes send no more than one. */
  #hasReply = false;
  readonly #lookout: Lookout;

  constructor(options: GateOptions) {
    this.#options = options;
    const { clock, machine, openLog, onTrouble, soon = setImmediate } = options;
    const now = (): Stamp => ({
      boot: machine.boot(),
      uptime: machine.uptime(),
      wall: clock.now(),
    });
    this.#log = new SharedLog({ openLog, now, onTrouble });
    this.#pen = new Pen({ log: this.#log, now, soon });
    const isOwn = (id: string): boolean => this.#own.has(id);
    this.#lookout = new Lookout({ machine, now, pen: this.#pen, isOwn });
  }

  /** Asks for a place for a request that will be over within `lifeMs`, or Infinity. */
  ask(lifeMs: number): Answer {
    const id = placeId(this.#options.random());
    return this.#log.use((log) => {
      // Where the log fails half-way, this is done again without it.
      log.state.places.delete(id);
      const kept = this.#takeOver(log);
      if (kept !== undefined) return { go: true, id: kept };
      // Whoever is let through by what is known reads what is new behind its own record.
      const known = this.#lookout.decideBy(log);
      const decision = known.go ? known : this.#lookout.decideByAll(log);
      if (!decision.go) return decision;
      this.#own.add(id);
      const kind = decision.probe ? "probe" : "reserve";
      const { pid } = this.#options.machine;
      this.#pen.write(log, { kind, id, pid, lifeMs });
      const own = this.#lookout.decideAgain(log, id);
      if (own.go) return { go: true, id };
      this.#giveBack(log, { kind: "release", id });
      return own;
    });
  }

  /** What a request without a place would be told now. */
  look(): Decision {
    return this.#pen.use((log) => this.#lookout.decideByAll(log));
  }

  /** Whether the request with the place `id` may still be sent. */
  mayStillGo(id: string): boolean {
    return this.#pen.use((log) => {
      log.refresh();
      return this.#takenOver.has(id)
        ? this.#lookout.seesPlenty(log)
        : this.#lookout.decideAgain(log, id).go;
    });
  }

  /** The request of a place was not sent. */
  release(id: string): void {
    this.#pen.use((log) => this.#giveBack(log, { kind: "release", id }));
  }

  /** It may have been sent, and no reply came. */
  end(id: string): void {
    this.#pen.use((log) => this.#giveBack(log, { kind: "end", id }));
  }

  /** Its reply came just now. */
  reply(id: string, learned: Learned): void {
    const event = { kind: "reply", id, ...learned } as const;
    this.#forget(id);
    // Of many another begins when one has ended, as a rule: both are one write then, or none. What is
    // news must not be lost with the last one, behind which the process ends at once.
    const mayPutOff =
      this.#own.size > 0 ? learned.waitMs === undefined : this.#hasReply && isNoNews(learned);
    this.#hasReply = true;
    if (mayPutOff) this.#pen.putOff(event);
    else this.#pen.use((log) => this.#pen.write(log, event));
  }

  /** How often in a row the service has refused a request. */
  get strikes(): number {
    return this.#pen.use((log) => log.state.strikes);
  }

  /** What is known; nothing is asked of the service. */
  view(): GateView {
    return this.#pen.use((log) => {
      const now = this.#lookout.catchUp(log);
      return viewOf(log.state, now);
    });
  }

  /** The place of a request that has just ended, where the next one may have it. */
  #takeOver(log: GateLog): string | undefined {
    const now = this.#options.machine.uptime();
    const isLeft = (event: GateEvent): boolean => leavesItsPlace(event, log.state, now);
    // What others have written meanwhile is read before it is sent.
    if (!this.#pen.hasPutOff(isLeft) || !this.#lookout.seesPlenty(log)) return undefined;
    const left = this.#pen.takeBack();
    if (left === undefined || !("id" in left)) return undefined;
    this.#own.add(left.id);
    this.#takenOver.add(left.id);
    return left.id;
  }

  #giveBack(log: GateLog, event: GateEvent & { readonly id: string }): void {
    this.#forget(event.id);
    this.#pen.write(log, event);
  }

  #forget(id: string): void {
    this.#own.delete(id);
    this.#takenOver.delete(id);
  }
}
