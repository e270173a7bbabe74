import type { Clock, Machine } from "../io.ts";
import { type Decision, decide, type Hold } from "./decide.ts";
import type { GateLog } from "./log.ts";
import { Unwritten } from "./plenty.ts";
import { Pen } from "./pen.ts";
import type { GateEvent, Learned } from "./records.ts";
import { expire } from "./replay.ts";
import { SharedLog, type SharedLogOptions } from "./shared-log.ts";
import type { Stamp } from "./stamp.ts";
import { type GateView, viewOf } from "./view.ts";

/** What a gate needs. */
export interface GateOptions extends Omit<SharedLogOptions, "now"> {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Machine;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
}

/** Whether a request may be sent, now, with this place; or what it has to wait for. */
export type Answer = { readonly go: true; readonly id: string } | (Hold & { readonly go: false });

const idDigits = 10;
const ids = 36 ** idDigits;
/** How often it is looked who is alive, in ms: those who wait come back many times a second. */
const betweenLooks = 100;

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
  /** Those of this process that have none, as there are requests in plenty. */
  readonly #unwritten = new Unwritten();
  readonly #pen: Pen;
  /** When it was last looked who is alive. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GateOptions) {
    this.#options = options;
    const { openLog, onTrouble } = options;
    const now = (): Stamp => this.#stamp();
    this.#log = new SharedLog({ openLog, now, onTrouble });
    this.#pen = new Pen(this.#log, now);
  }

  /** Asks for a place for a request that will be over within `lifeMs`, or Infinity. */
  ask(lifeMs: number): Answer {
    const id = this.#makeId();
    return this.#log.use((log) => {
      // Where the log fails half-way, this is done again without it.
      log.state.places.delete(id);
      // Whoever is let through by what is known reads what is new behind its own record.
      const known = this.#decideBy(log);
      const decision = known.go && !this.#isFree(known, log) ? known : this.#decideByAll(log);
      if (!decision.go) return decision;
      if (this.#isFree(decision, log)) {
        this.#unwritten.add(id);
        return { go: true, id };
      }
      this.#own.add(id);
      const kind = decision.probe ? "probe" : "reserve";
      const { pid } = this.#options.machine;
      this.#pen.write(log, { kind, id, pid, lifeMs });
      const own = this.#decideAgain(log, id);
      if (own.go) return { go: true, id };
      this.#giveBack(log, { kind: "release", id });
      return own;
    });
  }

  /** What a request without a place would be told now. */
  look(): Decision {
    return this.#pen.use((log) => this.#decide(log));
  }

  /** Whether the request with the place `id` may still be sent. */
  mayStillGo(id: string): boolean {
    return this.#pen.use((log) => {
      log.refresh();
      const decision = this.#decideAgain(log, id);
      return decision.go && !(decision.probe && this.#unwritten.has(id));
    });
  }

  /** The request of a place was not sent. */
  release(id: string): void {
    if (this.#unwritten.delete(id)) return;
    this.#pen.use((log) => this.#giveBack(log, { kind: "release", id }));
  }

  /** It may have been sent, and no reply came. */
  end(id: string): void {
    if (this.#unwritten.delete(id)) return;
    this.#pen.use((log) => this.#giveBack(log, { kind: "end", id }));
  }

  /** Its reply came just now. */
  reply(id: string, learned: Learned): void {
    const now = this.#options.machine.uptime();
    if (this.#unwritten.delete(id) && this.#unwritten.isNoNews(learned, now)) return;
    const event = { kind: "reply", id, ...learned } as const;
    this.#own.delete(id);
    this.#unwritten.written(now);
    // Of many at once another begins when one has ended, as a rule: both are one write then.
    const mayPutOff = learned.waitMs === undefined && this.#own.size > 0 && !this.#pen.isPending;
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
      const now = this.#catchUp(log);
      return viewOf(log.state, now);
    });
  }

  #isFree(decision: Decision, { state }: GateLog): boolean {
    return this.#unwritten.takes(decision, state, this.#options.machine.uptime());
  }

  #decideByAll(log: GateLog): Decision {
    this.#pen.catchUp(log);
    return this.#decide(log);
  }

  #decide(log: GateLog): Decision {
    log.refresh();
    return this.#decideBy(log);
  }

  /** Decides by what was taken in so far. */
  #decideBy(log: GateLog): Decision {
    const { uptime } = this.#passTime(log);
    return decide(log.state, uptime);
  }

  /** Takes in what happened until now, and answers when that is. */
  #catchUp(log: GateLog): Stamp {
    log.refresh();
    return this.#passTime(log);
  }

  #passTime(log: GateLog): Stamp {
    const now = this.#stamp();
    if (now.uptime - this.#lookedAt >= betweenLooks) this.#endTheDead(log, now.uptime);
    expire(log.state, now.uptime);
    return now;
  }

  #decideAgain(log: GateLog, id: string): Decision {
    const decision = decide(log.state, this.#stamp().uptime, id);
    const place = log.state.places.get(id);
    // Another process may have taken this one for dead, where it can't see it.
    if (!decision.go || !decision.probe || place === undefined) return decision;
    return place.probe && place.afterBlock ? decision : { go: false, why: "probing", ms: 0 };
  }

  /** A process that is gone holds nobody up: its requests count as sent (rate-limits.md, The gate). */
  #endTheDead(log: GateLog, now: number): void {
    const { machine } = this.#options;
    this.#lookedAt = now;
    for (const { id, pid } of log.state.places.values()) {
      // Ids of processes are used again: in a container each command may have the same.
      const isAlive = pid === machine.pid ? this.#own.has(id) : machine.isAlive(pid);
      if (!isAlive) this.#pen.write(log, { kind: "end", id });
    }
  }

  #giveBack(log: GateLog, event: GateEvent & { readonly id: string }): void {
    this.#own.delete(event.id);
    this.#pen.write(log, event);
  }

  #stamp(): Stamp {
    const { machine, clock } = this.#options;
    return { boot: machine.boot(), uptime: machine.uptime(), wall: clock.now() };
  }

  #makeId(): string {
    return Math.floor(this.#options.random() * ids)
      .toString(36)
      .padStart(idDigits, "0");
  }
}
