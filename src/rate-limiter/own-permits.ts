import { type Every, Heartbeat } from "./heartbeat.ts";

/** The open permits of this process. */
export class OwnPermits {
  readonly #random: () => number;
  readonly #open = new Set<string>();
  /** Those of them that an earlier request used before. */
  readonly #reused = new Set<string>();
  readonly #heartbeat: Heartbeat;

  /** `beat` records a sign of life of a probe; `random` returns a number from 0 up to 1. */
  constructor(random: () => number, beat: (id: string) => void, every: Every | undefined) {
    this.#random = random;
    this.#heartbeat = new Heartbeat(beat, every);
  }

  get count(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Returns whether an earlier request used the permit before. */
  isReused(id: string): boolean {
    return this.#reused.has(id);
  }

  /** Returns the id of a new permit: 10 digits and letters. */
  newId(): string {
    return Math.floor(this.#random() * idCount)
      .toString(36)
      .padStart(idLength, "0");
  }

  add(id: string): void {
    this.#open.add(id);
  }

  /** Adds a permit that an earlier request used before. */
  addReused(id: string): void {
    this.#open.add(id);
    this.#reused.add(id);
  }

  /** Records signs of life of a probe from now on. */
  startHeartbeat(id: string): void {
    this.#heartbeat.start(id);
  }

  drop(id: string): void {
    this.#open.delete(id);
    this.#reused.delete(id);
    this.#heartbeat.stop(id);
  }
}

const idLength = 10;
const idCount = 36 ** idLength;
