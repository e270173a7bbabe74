const idLength = 10;
const idCount = 36 ** idLength;

/** Returns the id of a new permit, 10 digits and letters; `random` returns a number from 0 up to 1. */
export function newPermitId(random: () => number): string {
  return Math.floor(random() * idCount)
    .toString(36)
    .padStart(idLength, "0");
}

/** Runs `step` every `ms` until the returned function is called. */
export type Every = (ms: number, step: () => void) => () => void;

/** The interval of a probe's signs of life, in ms. */
const heartbeatMs = 3000;

interface OwnPermit {
  /** Whether an earlier request used it before. */
  readonly isReused?: boolean;
  /** Ends its signs of life. */
  readonly stop?: () => void;
}

/** The open permits of this process, by id. */
export class OwnPermits extends Map<string, OwnPermit> {
  /** Calls `beat` every 3 s until the permit `id` ends. */
  keepAlive(id: string, beat: () => void, every: Every = everyInterval): void {
    if (this.get(id)?.stop === undefined) this.set(id, { stop: every(heartbeatMs, beat) });
  }

  /** Ends a permit; returns whether it was open. */
  override delete(id: string): boolean {
    this.get(id)?.stop?.();
    return super.delete(id);
  }
}

/** Starts a timer that does not keep the process alive. */
function everyInterval(ms: number, step: () => void): () => void {
  const timer = setInterval(step, ms).unref();
  return () => clearInterval(timer);
}
