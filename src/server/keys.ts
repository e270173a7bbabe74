import { hash, randomInt, timingSafeEqual } from "node:crypto";

/** A key as it is kept: never itself, only its SHA-256 hash, and the plan's name. */
export interface KeyRecord {
  /** Names the key without giving it away: the first 8 bytes of the hash, in hex. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly plan: string;
}

/** What is told of a key that is kept. */
export interface StoredKey extends Pick<KeyRecord, "id" | "plan"> {
  /** When it was made, in ms since the epoch. */
  readonly createdAt: number;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 32 characters out of 62 are 190 random bits. */
const keyLength = 32;
const idLength = 8;

/** A new key: `pets_` and 32 random letters and digits. */
export function makeKey(): string {
  const characters = Array.from({ length: keyLength }, () => alphabet[randomInt(alphabet.length)]);
  return `pets_${characters.join("")}`;
}

/** What is kept of `key`. */
export function keyRecord(key: string, plan: string): KeyRecord {
  const digest = hash("sha256", key, "buffer");
  return { id: digest.toString("hex", 0, idLength), hash: digest, plan };
}

/** A row that is kept of a key. */
type KeyRow = Readonly<Record<string, unknown>>;

/** The key whose id is `id`, from the row that is kept of it; undefined where there is none. */
export function keyRecordOf(id: string, row: KeyRow | undefined): KeyRecord | undefined {
  return row?.hash instanceof Uint8Array
    ? { id, hash: row.hash, plan: String(row.plan) }
    : undefined;
}

/** What is told of a key, from the row that is kept of it. */
export function storedKeyOf({ id, plan, created_at: createdAt }: KeyRow): StoredKey {
  return { id: String(id), plan: String(plan), createdAt: Number(createdAt) };
}

/** Whether both are records of the same key, in constant time (store.md, Answers). */
export function isSameKey(one: KeyRecord, other: KeyRecord): boolean {
  return timingSafeEqual(one.hash, other.hash);
}

/**
 * The bearer token of an Authorization header (RFC 6750, 2.1; the scheme's case does not matter,
 * RFC 9110, 11.1), or undefined where it carries none or something else.
 */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
}
