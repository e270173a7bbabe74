import { ioFailure } from "../core/errors.ts";
import type { LocalLimiter } from "./local-limiter.ts";
import { SharedStream, type SharedStreamOptions } from "./log/redis/shared-stream.ts";
import { decide, type PermitDecision } from "./rules/decision.ts";
import type { PermitEvent, ReplyInfo } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import type { LimiterStatus } from "./rules/status.ts";
import type { AcquireResult, Limiter } from "./types.ts";

export interface FleetLimiterOptions extends Pick<SharedStreamOptions, "connect" | "now"> {
  /** Creates the limiter of this machine, which decides first, and alone if the server can't be used. */
  readonly createLocal: (onEvent: (event: PermitEvent) => void) => LocalLimiter;
  readonly url: string;
  /** Like those of the stream, with the folder in which the processes of this machine share what they know. */
  readonly knownProblem: (folder: string | undefined) => string | undefined;
  readonly onProblem: (reason: string, folder: string | undefined) => void;
  /** Whether nothing may be sent without the server. */
  readonly required: boolean;
}

const refreshMs = 100;

/** A request that has a permit of this machine, and asks the stream for one. */
interface PermitRequest {
  readonly id: string;
  readonly lifeMs: number;
  readonly despite503: boolean;
}

/** The limiter of machines that share a stream (`help fleet`): each request needs a permit of both, and both learn. */
export class FleetLimiter implements Limiter {
  readonly #options: FleetLimiterOptions;
  readonly #local: LocalLimiter;
  readonly #stream: SharedStream;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** The requests that only read the stream, and have not asked it for a permit yet. */
  readonly #readers = new Set<string>();

  constructor(options: FleetLimiterOptions) {
    const { createLocal, connect, now, knownProblem, onProblem } = options;
    this.#options = options;
    const local = createLocal((event) => this.#forward(event));
    this.#local = local;
    this.#stream = new SharedStream({
      connect,
      now,
      knownProblem: () => knownProblem(local.folder),
      onProblem: (reason) => onProblem(reason, local.folder),
      onRead: (state) => local.learn(state),
      onRebuilt: (state) =>
        local.newsFor(state).filter((event) => !("id" in event && this.#readers.has(event.id))),
    });
  }

  shareFairly(openRows: () => number, reservePercent?: number): void {
    this.#local.shareFairly(openRows, reservePercent);
  }

  async tryAcquire(lifeMs: number, despite503 = false): Promise<AcquireResult> {
    let result = this.#local.tryAcquire(lifeMs, despite503);
    if (!result.go && !this.#stream.isInForce && !this.isFallback) {
      // The stream gets what this machine learned while the server was unreachable, and may know that a wait is over.
      await this.sync();
      result = this.#local.tryAcquire(lifeMs, despite503);
    }
    if (!result.go) return result;
    const { id } = result;
    const decision = await this.#acquire({ id, lifeMs, despite503 });
    const { required, url } = this.#options;
    if (decision === undefined ? !required : decision.go) return result;
    this.#local.end(id, "release");
    if (decision?.go === false) return decision;
    const { host } = new URL(url);
    throw ioFailure(
      `the limiter at ${host} is required and cannot be used: ${this.#stream.problem}`,
    );
  }

  peek(): PermitDecision {
    const decision = this.#local.peek();
    if (!this.#stream.isInForce || !(decision.go || decision.reason === "blocked")) return decision;
    if (this.#uptime() - this.#refreshedAt > refreshMs) {
      this.#refreshedAt = this.#uptime();
      this.#stream.post();
    }
    return decision.go ? this.#decide() : decision;
  }

  revalidate(id: string): boolean {
    if (!this.#local.revalidate(id)) return false;
    const { backoff, permits } = this.#stream.state;
    if (!this.#stream.isInForce || backoff === undefined) return true;
    const permit = permits.get(id);
    return backoff.bannedUntil <= this.#uptime() && permit?.probe === true && permit.afterBackoff;
  }

  complete(id: string, reply: ReplyInfo): void {
    this.#local.complete(id, reply);
  }

  end(id: string, how: "release" | "lost"): void {
    this.#local.end(id, how);
  }

  get consecutiveRefusals(): number {
    return Math.max(this.#stream.state.strikes, this.#local.consecutiveRefusals);
  }

  get backoffMs(): number {
    const ms = (this.#stream.state.backoff?.until ?? 0) - this.#uptime();
    return Math.max(ms, this.#local.backoffMs);
  }

  get isFallback(): boolean {
    return this.#stream.problem !== undefined;
  }

  status(): LimiterStatus {
    const { url } = this.#options;
    const { problem: reason, isInForce } = this.#stream;
    const limiter = { url, inForce: reason === undefined, ...(reason !== undefined && { reason }) };
    const status = { ...this.#local.status(), limiter };
    if (status.condition !== undefined || !isInForce) return status;
    const decision = this.#decide();
    return decision.go ? status : { ...status, condition: decision };
  }

  async sync({ writing = false } = {}): Promise<void> {
    await this.#stream.step(writing ? [] : undefined, () => {});
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #uptime(): number {
    return this.#options.now().uptime;
  }

  #decide({ id, despite503 }: Partial<PermitRequest> = {}): PermitDecision {
    const { state } = this.#stream;
    expirePermits(state, this.#uptime());
    const asker = {
      ...this.#local.asker(id, despite503),
      waitsForFirstReply: state.repliedAt === Number.NEGATIVE_INFINITY,
    };
    return decide(state, this.#uptime(), asker);
  }

  /** Asks the stream for a permit, in one round trip if nothing prevents it; undefined if the server can't be used. */
  async #acquire(request: PermitRequest): Promise<PermitDecision | undefined> {
    const { id } = request;
    if (!this.#decide(request).go) {
      this.#readers.add(id);
      const decision = await this.#stream.step(undefined, () => this.#decide(request));
      this.#readers.delete(id);
      if (!decision?.go) return decision;
    }
    const isProbe = this.#stream.state.backoff !== undefined;
    let decision = await this.#reserve(request, isProbe);
    // It has only now read a back-off that has ended: the request, if it is the first, is sent as its probe.
    if (!isProbe && decision?.go && decision.probe) decision = await this.#reserve(request, true);
    if (decision?.go && decision.probe) this.#local.keepAlive(id);
    return decision;
  }

  /** Requests a permit, in place of its current one, and decides by the entries before it; reads no more. */
  #reserve(request: PermitRequest, isProbe: boolean): Promise<PermitDecision | undefined> {
    const { id, lifeMs } = request;
    const earlier = this.#stream.state.permits.has(id) ? [{ kind: "release", id } as const] : [];
    const kind = isProbe ? "probe" : "reserve";
    // Across machines there are no process ids.
    const events = [...earlier, { kind, id, pid: 0, lifeMs } as const];
    return this.#stream.step(events, () => this.#decide(request));
  }

  /** Writes what happened to a permit to the stream, if that has it; a reply counts without a permit too. */
  #forward(event: PermitEvent): void {
    if (event.kind === "reply" || this.#stream.state.permits.has(event.id))
      this.#stream.post(event);
  }
}
