import { hash } from "node:crypto";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";

const fingerprintBytes = 16;

const fingerprintOf = (text: string): Uint8Array =>
  hash("sha256", text, "buffer").subarray(0, fingerprintBytes);

/** Matches a number that some programs write with leading zeros, or with decimals: `0017`, `17.0`, `17.00`. */
const wholeNumber = /^(-?)0*(\d+)(?:\.00?)?$/;

/** What a row is: two that have a key are equal by that alone, all others by name, category and status. */
export interface Fingerprint {
  /** A hash of name and category: the name without outer blanks, in one Unicode form (UAX 15, NFC). */
  readonly print: Uint8Array;
  /** Empty for none. */
  readonly status: string;
  /** A hash of the key in one case, Unicode form and spelling of a number, if there is one. */
  readonly key: Uint8Array | null;
  /** The same hashes as version 5 recorded them, of a name and a key as they are written, where those are others. */
  readonly old?: Pick<Fingerprint, "print" | "key">;
}

type Animal = Readonly<{ name: string; categoryId: bigint; status?: string | undefined }>;

/** Returns what is recorded, and compared, of an animal and of the key that identifies it. */
export function fingerprint(pet: Animal, key = ""): Fingerprint {
  const name = pet.name.trim().normalize("NFC");
  const written = key.trim().toLowerCase();
  const word = spelled(written);
  const isSame = name === pet.name && word === written;
  return {
    print: printOf({ ...pet, name }),
    status: pet.status ?? "",
    key: keyOf(word),
    ...(!isSame && { old: { print: printOf(pet), key: keyOf(written) } }),
  };
}

/** Returns what is compared of a key; null for none. */
export const keyPrint = (key = ""): Uint8Array | null => keyOf(spelled(key.trim().toLowerCase()));

const spelled = (key: string): string => key.normalize("NFC").replace(wholeNumber, "$1$2");

const printOf = (pet: Animal): Uint8Array => fingerprintOf(petText(pet, requiredPetFields));
const keyOf = (key: string): Uint8Array | null =>
  key === "" ? null : fingerprintOf(`pets key\n${key}`);
