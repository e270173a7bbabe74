import { parseReplyHead } from "../../../src/client/http/reply-head.ts";
import { requestedDelay, toReplyInfo } from "../../../src/client/retry/policy.ts";
import { FleetLimiter } from "../../../src/rate-limiter/fleet-limiter.ts";
import { LocalLimiter, type LocalLimiterOptions } from "../../../src/rate-limiter/local-limiter.ts";
import type { StreamConnection } from "../../../src/rate-limiter/log/redis/connection.ts";
import type { AcquireResult, Limiter } from "../../../src/rate-limiter/types.ts";
import { mulberry32 } from "../../../src/server/seed/generate.ts";
import { FakeServer } from "./fake-stream.ts";
import { type SharedText, sharedLog } from "./shared-log.ts";

/** The options of a simulation. Times are in ms. */
export interface Scene {
  readonly seed: number;
  readonly limit: number;
  readonly window: number;
  /** How many requests are allowed in five windows; the service announces the one with fewer left. */
  readonly longLimit: number;
  readonly clients: number;
  /** How many requests each client sends, and how many of them at once; by default one after the other. */
  readonly requests: number;
  readonly lanes?: number;
  /** How far the service's clock is ahead. */
  readonly ahead: number;
  /** The maximum time of a request or a reply in flight, and of connecting. */
  readonly latency: number;
  /** How many clients are killed in the middle of writing a line. */
  readonly kills: number;
  /** How many requests others, elsewhere, send with the same key. */
  readonly strangers: number;
  /** How many clients are bulk runs, which leave a share to the others, which send one request each. */
  readonly bulkRuns?: number;
  /** On how many machines, which share a stream, the clients run; by default on one, without a stream. */
  readonly machines?: number;
  /** When the stream's server is flushed, and when it is gone for good, in ms from the start. */
  readonly flushAt?: number;
  readonly goneAt?: number;
}

/** What the service saw. */
export interface Sight {
  readonly refused: number;
  /**
   * Those of the refused by a window of which nobody could know: no reply with it had arrived when they were sent,
   * as the service announces only the window with fewer requests left.
   */
  readonly unforeseen: number;
  /** Requests that were sent after another was refused and before that back-off was over. */
  readonly early: number;
  /** Those of them whose own machine knew of that back-off. */
  readonly earlyHere: number;
  /** How long each request outside of bulk runs was delayed before it was sent, in ms. */
  readonly heldMs: readonly number[];
  /** Clients that were not killed, and those of them that finished. */
  readonly survivors: number;
  readonly finished: number;
  /** The number of the service's windows in which requests arrived. */
  readonly lastWindow: number;
}

type Step = () => void;

/** Runs the scene to its end in simulated time, with everything that processes may do in between. */
export async function simulate(scene: Scene): Promise<Sight> {
  const random = mulberry32(scene.seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const start = Date.UTC(2026, 10, 21, 12, 0, upTo(59), upTo(999));
  const machines = scene.machines ?? 1;
  const texts: readonly SharedText[] = Array.from({ length: machines }, () => ({ text: "" }));
  const textOf = (pid: number): SharedText => texts[pid % machines] ?? { text: "" };
  const queue: { readonly at: number; readonly step: Step }[] = [];
  const dead = new Set<number>();
  let now = 0;
  let nested = 0;
  const finished = new Set<number>();
  const sight = { refused: 0, unforeseen: 0, early: 0, earlyHere: 0, heldMs: [] as number[] };
  let windows: readonly [first: number, last: number] | undefined;
  const later = (ms: number, step: Step) => void queue.push({ at: now + ms, step });
  const next = (): Step | undefined => {
    const event = queue.sort((a, b) => a.at - b.at).shift();
    if (event === undefined) return undefined;
    now = Math.max(now, event.at);
    return event.step;
  };
  /** Lets other events that are due happen. */
  const others = (): void => {
    if (nested > 3) return;
    nested += 1;
    while (random() < 0.3 && queue.some(({ at }) => at <= now + 1)) next()?.();
    nested -= 1;
  };

  // The service: fixed windows on its own clock, whole seconds in its headers.
  const quotas = [
    [scene.limit, scene.window],
    [scene.longLimit, 5 * scene.window],
  ] as const;
  const counters = quotas.map(([limit, length]) => {
    return { limit, length, start: -1, requests: 0, announcedAt: Infinity };
  });
  const backoffs: { machine: number; announcedAt: number; until: number }[] = [];
  /**
   * Returns whether a client sends during a back-off. Across machines, one that was announced in this moment, in which
   * other steps may take a few ms, is not known yet: its record has to reach the stream first.
   */
  const isEarly = (): boolean =>
    backoffs.some(({ announcedAt, until }) => {
      return now < until && (scene.machines === undefined || announcedAt + 5 < now);
    });
  const serve = (): { status: number; headers: Record<string, string> } => {
    const clock = start + now + scene.ahead;
    const window = Math.floor(clock / scene.window);
    windows = [windows?.[0] ?? window, window];
    for (const counter of counters) {
      const begun = clock - (clock % counter.length);
      if (counter.start !== begun)
        Object.assign(counter, { start: begun, requests: 0, announcedAt: Infinity });
    }
    const full = counters.filter(({ limit, requests }) => requests >= limit);
    if (full.length === 0) for (const counter of counters) counter.requests += 1;
    // In flight: connecting, the request, and the reply that announces the window.
    const isKnown = full.some(({ announcedAt }) => now - announcedAt > 3 * scene.latency);
    if (full.length > 0 && !isKnown) sight.unforeseen += 1;
    const left = counters.map((counter) => {
      const { limit, length, start: begun, requests } = counter;
      return { counter, limit, remaining: limit - requests, reset: begun + length };
    });
    const [told] = left.sort((a, b) => a.remaining - b.remaining || b.reset - a.reset);
    if (told !== undefined) told.counter.announcedAt = Math.min(told.counter.announcedAt, now);
    const headers = {
      date: new Date(clock).toUTCString(),
      "x-ratelimit-limit": String(told?.limit),
      "x-ratelimit-remaining": String(told?.remaining),
      "x-ratelimit-reset": String(Number(told?.reset) / 1000),
    };
    if (full.length === 0) return { status: 200, headers };
    const end = Math.max(...full.map(({ start: begun, length }) => begun + length));
    return {
      status: 429,
      headers: { ...headers, "retry-after": `${Math.ceil((end - clock) / 1000)}` },
    };
  };

  const server = new FakeServer(() => start + 7_000_000 + now);
  /** A connection of a client: its steps arrive, and are answered, in their order. */
  const connection = (alive: (step: Step) => Step): StreamConnection => {
    const free = [0, 0];
    const inOrder = (way: number, step: Step): void => {
      free[way] = Math.max(now + upTo(scene.latency), free[way] ?? 0);
      later(free[way] - now, step);
    };
    return {
      close: () => {},
      step: (asked) =>
        new Promise((resolve, reject) => {
          inOrder(0, () => {
            let back: Step;
            try {
              const reply = server.run(asked);
              back = () => resolve(reply);
            } catch (error) {
              back = () => reject(error);
            }
            inOrder(1, alive(back));
          });
        }),
    };
  };

  const client = (pid: number): void => {
    const ofMachine = (pid % machines) * 3_600_000;
    const wall = (): number => start + now + ofMachine;
    const stamp = () => ({
      boot: `boot${pid % machines}`,
      uptime: Math.floor((5000 + ofMachine + now) / 10) * 10,
      wall: wall(),
    });
    const createLocal = (onEvent?: LocalLimiterOptions["onEvent"]) =>
      new LocalLimiter({
        logs: [() => sharedLog(textOf(pid), stamp, others)],
        now: stamp,
        machine: { pid, isAlive: (other) => !dead.has(other), tickMs: 10 },
        random,
        onMoved: (what) => {
          throw new Error(what);
        },
        onEvent,
      });
    const limiter: Limiter =
      scene.machines === undefined
        ? createLocal()
        : new FleetLimiter({
            createLocal,
            url: "redis://here",
            connect: async () => connection(alive),
            now: stamp,
            knownProblem: () => undefined,
            onProblem: (reason) => {
              if (scene.goneAt === undefined) throw new Error(reason);
            },
            required: false,
          });
    /** How many requests are still to be started, and how many have not ended. */
    const isBulk = pid <= (scene.bulkRuns ?? 0);
    const requests = isBulk || scene.bulkRuns === undefined ? scene.requests : 1;
    let [begun, left] = [requests, requests];
    if (isBulk) limiter.shareFairly(() => left);
    /** Skips steps once the process is dead. */
    const alive =
      (step: Step): Step =>
      () =>
        dead.has(pid) ? undefined : step();
    let askedAt: number | undefined;
    const ask = (): void => {
      const answer = limiter.tryAcquire(30_000);
      if (answer instanceof Promise) void answer.then(decide);
      else decide(answer);
    };
    const decide = (answer: AcquireResult): void => {
      if (dead.has(pid)) return;
      if (!answer.go) {
        askedAt ??= now;
        later(1 + Math.min(answer.ms + upTo(20), 25 + upTo(500)), alive(ask));
        return;
      }
      if (!isBulk) sight.heldMs.push(now - (askedAt ?? now));
      later(
        upTo(scene.latency),
        alive(() => send(answer.id)),
      );
    };
    const send = (id: string): void => {
      if (!limiter.revalidate(id)) {
        limiter.end(id, "release");
        later(1, alive(ask));
        return;
      }
      if (isEarly()) sight.early += 1;
      if (backoffs.some(({ machine, until }) => machine === pid % machines && now < until))
        sight.earlyHere += 1;
      later(upTo(scene.latency), () => {
        const head = serve();
        if (head.status !== 200) sight.refused += 1;
        later(
          upTo(scene.latency),
          alive(() => take(id, head)),
        );
      });
    };
    const take = (id: string, { status, headers }: ReturnType<typeof serve>): void => {
      const arrivedAt = now;
      const head = parseReplyHead(status, headers, wall());
      const asked = requestedDelay(head, { strikes: 0, random });
      limiter.complete(id, toReplyInfo(head, asked));
      if (asked !== undefined) {
        // Others may have taken a few ms while it was recorded.
        const until = arrivedAt + asked.announcedMs;
        backoffs.push({ machine: pid % machines, announcedAt: now, until });
        later(upTo(50), alive(ask));
        return;
      }
      left -= 1;
      if (left === 0) finished.add(pid);
      else begin();
    };
    const begin = (): void => {
      if (begun === 0) return;
      begun -= 1;
      // With many at once, the next one usually begins as soon as one has ended.
      if (scene.lanes !== undefined && random() < 0.8) ask();
      else later(upTo(50), alive(ask));
    };
    for (let lane = 0; lane < (scene.lanes ?? 1); lane += 1)
      later(upTo(isBulk || scene.bulkRuns === undefined ? 200 : 2 * scene.window), alive(begin));
  };

  for (let pid = 1; pid <= scene.clients; pid += 1) client(pid);
  for (let kill = 0; kill < scene.kills; kill += 1) {
    later(upTo(3000), () => {
      const killed = 1 + upTo(scene.clients - 1);
      dead.add(killed);
      const shared = textOf(killed);
      const lines = shared.text.split("\n");
      shared.text += `\n${lines[upTo(lines.length - 1)]?.slice(0, upTo(40))}`;
    });
  }
  for (let stranger = 0; stranger < scene.strangers; stranger += 1) {
    later(upTo(3 * scene.window), () => void serve());
  }
  if (scene.flushAt !== undefined) later(scene.flushAt, () => server.flush());
  if (scene.goneAt !== undefined) later(scene.goneAt, () => (server.isDown = true));
  for (let step = next(); step !== undefined; step = next()) {
    if (now > 3_600_000) throw new Error("it does not end");
    step();
    // Resolved promises run at the same simulated time.
    if (scene.machines !== undefined) await new Promise(setImmediate);
  }
  const [first, last] = windows ?? [0, 0];
  return {
    ...sight,
    survivors: scene.clients - dead.size,
    finished: [...finished].filter((pid) => !dead.has(pid)).length,
    lastWindow: last - first + 1,
  };
}
