import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** What is stored for a key: never the key itself, only its SHA-256 hash, and the plan's name. */
export interface KeyRecord {
  /** Identifies the key without revealing it: the first 8 bytes of the hash, in hex. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly plan: string;
  /** Whether it opens `/_store`; decided when it is made. */
  readonly isOperator: boolean;
}

export interface StoredKey extends Omit<KeyRecord, "hash"> {
  /** When it was made, in ms since the epoch. */
  readonly createdAt: number;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keyLength = 32;
const idBytes = 8;

/** Makes a new key: `pets_` and 32 random letters and digits. */
export function makeKey(): string {
  return keyFrom(randomBytes(keyLength));
}

/**
 * Derives a further key from an operator's key and the secret of the data: always the same, and unknown without both.
 * `revoked` is how many keys of this number were revoked before.
 */
export function furtherKey(
  apiKey: string,
  secret: string,
  number: number,
  revoked: number,
): string {
  return keyFrom(createHmac("sha256", apiKey).update(`${secret} ${number} ${revoked}`).digest());
}

/** Eight characters stand for five values of a byte, the others for four: 181 bits at least remain. */
function keyFrom(bytes: Uint8Array): string {
  return `pets_${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")}`;
}

/** Returns the id of a key. */
export function keyId(key: string): string {
  return keyRecord(key, "").id;
}

/** Returns what is stored for `key`. */
export function keyRecord(key: string, plan: string, isOperator = false): KeyRecord {
  const digest = hash("sha256", key, "buffer");
  return { id: digest.toString("hex", 0, idBytes), hash: digest, plan, isOperator };
}

/** Returns whether both are records of the same key, compared in constant time. */
export function isSameKey(one: KeyRecord, other: KeyRecord): boolean {
  return timingSafeEqual(one.hash, other.hash);
}

/** Returns the bearer token of an Authorization header (RFC 6750, 2.1; its scheme in any case: RFC 9110, 11.1). */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
}
