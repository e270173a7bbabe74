import { hash } from "node:crypto";
import { petText } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";

/** How many bytes of a SHA-256 identify a row. */
export const fingerprintBytes = 16;
/** The same in 32-bit words. */
export const fingerprintWords = fingerprintBytes / 4;

const chunkRows = 65_536;

/**
 * The fingerprint of each row of an input, in 16 bytes: equal exactly for equal rows. A name is compared
 * unchanged, and a missing status differs from any given one.
 */
export class Fingerprints {
  readonly #chunks: Buffer<ArrayBuffer>[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(pet: NewPet): void {
    const row = this.#length % chunkRows;
    if (row === 0) this.#chunks.push(Buffer.alloc(chunkRows * fingerprintBytes));
    const digest = hash("sha256", petText(pet), "binary");
    this.#chunks.at(-1)?.write(digest, row * fingerprintBytes, fingerprintBytes, "latin1");
    this.#length += 1;
  }

  /** Returns one of the four words of a row's fingerprint. */
  word(row: number, index: number): number {
    const offset = (row % chunkRows) * fingerprintBytes + index * 4;
    return this.#chunks[Math.floor(row / chunkRows)]?.readInt32LE(offset) ?? 0;
  }

  /** Frees the memory of all fingerprints at once, without waiting for V8; none may be read after that. */
  release(): void {
    for (const { buffer } of this.#chunks) buffer.transfer(0);
    this.#chunks.length = 0;
    this.#length = 0;
  }

  /** Yields all fingerprints, in order. */
  *bytes(): Generator<Buffer> {
    let left = this.#length * fingerprintBytes;
    for (const chunk of this.#chunks) {
      yield chunk.subarray(0, Math.min(left, chunk.length));
      left -= chunk.length;
    }
  }
}
