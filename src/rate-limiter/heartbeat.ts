/** Runs `step` every `ms` until the returned function is called. */
export type Every = (ms: number, step: () => void) => () => void;

/** The interval of a probe's signs of life, in ms (`help rate-limits`). */
const heartbeatMs = 3000;

/** Records signs of life for each probe of this process while its request is in flight. */
export class Heartbeat {
  readonly #beat: (id: string) => void;
  readonly #every: Every;
  readonly #stops = new Map<string, () => void>();

  constructor(beat: (id: string) => void, every: Every = everyInterval) {
    this.#beat = beat;
    this.#every = every;
  }

  start(id: string): void {
    this.stop(id);
    this.#stops.set(
      id,
      this.#every(heartbeatMs, () => this.#beat(id)),
    );
  }

  stop(id: string): void {
    this.#stops.get(id)?.();
    this.#stops.delete(id);
  }

  stopAll(): void {
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }
}

/** Starts a timer that does not keep the process alive. */
function everyInterval(ms: number, step: () => void): () => void {
  const timer = setInterval(step, ms).unref();
  return () => clearInterval(timer);
}
