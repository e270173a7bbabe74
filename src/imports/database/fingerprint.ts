import { hash } from "node:crypto";
import { petText, requiredPetFields } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";

const fingerprintBytes = 16;

const fingerprintOf = (text: string): Uint8Array =>
  hash("sha256", text, "buffer").subarray(0, fingerprintBytes);

/** Returns a hash of name and category, by which an animal is known that has no key. */
export const petFingerprint = (pet: NewPet): Uint8Array =>
  fingerprintOf(petText(pet, requiredPetFields));

export const keyFingerprint = (key: string): Uint8Array =>
  fingerprintOf(`pets key\n${key.trim().toLowerCase()}`);
