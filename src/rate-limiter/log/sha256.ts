/**
 * SHA-256 (FIPS 180-4), for the short texts that files are named by. Node's own takes 4 ms to load
 * and the packages that have it a millisecond, where the whole gate may cost a command three.
 */

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
const roundConstants = Uint32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

// The same of the square roots of the first eight (5.3.3).
const initialHash = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const blockBytes = 64;
const lengthBytes = 8;

/** The digest of `text` in UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(initialHash);
  const schedule = new Int32Array(blockBytes);
  for (let at = 0; at < message.byteLength; at += blockBytes) {
    fillSchedule(schedule, message, at);
    compress(hash, schedule);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The message, a one, and zeros up to its length in bits, in whole blocks (5.1.1). */
function padded(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 1 + lengthBytes) / blockBytes);
  const message = new Uint8Array(blocks * blockBytes);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(message.length - 4, bytes.length * 8);
  return view;
}

// Below nothing is destructured or spread in a loop, and words are turned to the right (3.2, ROTR) in
// place: cold, each takes as long as all the rest.

/** The words of the block at `at`, and those that are made of them (6.2.2, step 1). */
function fillSchedule(words: Int32Array, message: DataView, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = message.getInt32(at + 4 * t);
  for (let t = 16; t < blockBytes; t += 1) {
    const x = words[t - 15] ?? 0;
    const y = words[t - 2] ?? 0;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[t] = (words[t - 16] ?? 0) + s0 + (words[t - 7] ?? 0) + s1;
  }
}

/** Takes one block into the hash (6.2.2, steps 2 to 4). */
function compress(hash: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let t = 0; t < blockBytes; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[t] ?? 0) + (words[t] ?? 0);
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  for (const [place, word] of [a, b, c, d, e, f, g, h].entries()) {
    hash[place] = (hash[place] ?? 0) + word;
  }
}
