const minCapacity = 1024;

/**
 * Bytes that come in parts, in at most twice the room that they need: a part of one byte that is
 * kept as it came takes over a hundred.
 */
export class GrowableBuffer {
  #buffer: Uint8Array = new Uint8Array(0);
  #size = 0;

  /** How many bytes there are. */
  get size(): number {
    return this.#size;
  }

  /** All bytes so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  add(part: Uint8Array): void {
    const size = this.#size + part.length;
    // Most come whole.
    if (this.#size === 0) this.#buffer = part;
    else this.#grow(size).set(part, this.#size);
    this.#size = size;
  }

  /** Room for `size` bytes, with those that there are. */
  #grow(size: number): Uint8Array {
    if (size > this.#buffer.length) {
      const room = new Uint8Array(Math.max(size, 2 * this.#buffer.length, minCapacity));
      room.set(this.bytes);
      this.#buffer = room;
    }
    return this.#buffer;
  }
}
