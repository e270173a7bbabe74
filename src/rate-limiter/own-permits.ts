const idLength = 10;
const idCount = 36 ** idLength;

/** Returns the id of a new permit, 10 digits and letters; `random` returns a number from 0 up to 1. */
export function newPermitId(random: () => number): string {
  return Math.floor(random() * idCount)
    .toString(36)
    .padStart(idLength, "0");
}

/** The interval of a probe's signs of life, in ms. */
const heartbeatMs = 3000;

interface OwnPermit {
  /** Whether an earlier request used it before. */
  readonly isReused?: boolean;
  /** Repeats its signs of life; keeps no process alive. */
  readonly timer?: NodeJS.Timeout;
}

/** The open permits of this process, by id. */
export class OwnPermits extends Map<string, OwnPermit> {
  /** Calls `beat` every 3 s until the permit `id` ends. */
  keepAlive(id: string, beat: () => void): void {
    if (this.get(id)?.timer === undefined)
      this.set(id, { timer: setInterval(beat, heartbeatMs).unref() });
  }

  /** Ends a permit; returns whether it was open. */
  override delete(id: string): boolean {
    clearInterval(this.get(id)?.timer);
    return super.delete(id);
  }
}
