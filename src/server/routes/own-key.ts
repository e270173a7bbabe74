import { unauthorized } from "../api/errors.ts";
import type { Arrived } from "../http/exchange.ts";
import { bearerToken, isSameKey, type KeyRecord, keyRecord } from "../keys.ts";
import type { Storage } from "../storage/storage.ts";

/** The key that a request carries, valid or not. */
export type PresentedKey = ReturnType<typeof readAuthorization>;

/** What was read last, as most clients send one header: hashing costs a tenth of a request. */
let last = readAuthorization("");

function readAuthorization(header: string) {
  const key = bearerToken(header);
  return { header, key, record: key === undefined ? undefined : keyRecord(key, "") };
}

/** Returns the key in the one Authorization header of a request. */
export function presentedKey({ incoming }: Arrived): PresentedKey {
  const { authorization = "" } = incoming.headers;
  if (last.header !== authorization) last = readAuthorization(authorization);
  return last;
}

/** Returns the stored record of a key. Throws the 401 if `find` does not know it. */
export async function requireKey(
  { header, record }: PresentedKey,
  find: Storage["findKey"],
): Promise<KeyRecord> {
  const kept = record && (await find(record.id));
  if (record === undefined || kept === undefined || !isSameKey(kept, record))
    throw unauthorized(header === "" ? undefined : header);
  return kept;
}
