import type { NewPet } from "../../../src/core/pet.ts";
import type { Row, RowState } from "../../../src/imports/types.ts";

const newPet = (name: string, status?: string): NewPet =>
  Object.assign({ name, categoryId: 1n }, status ? { status } : {}) as NewPet;

const rowAt = (index: number, pet: NewPet): Row => ({ index, line: index + 1, pet });

/** Returns an animal for each character: a capital is `sold`, any other letter has no status. */
export const letterRows = (letters: string): Row[] =>
  Array.from(letters, (letter, index) => {
    const isSold = letter !== letter.toLowerCase();
    return rowAt(index, newPet(letter.toLowerCase(), isSold ? "sold" : undefined));
  });

/** Reads rows such as `1=Mia|Rex sold`: a key, if any, a name and a status, if any. */
export const keyedRows = (text: string): Row[] =>
  text.split("|").map((row, index) => {
    const [, key, name = "", status] = /^(?:(.*)=)?(\S+)(?: (\w+))?$/.exec(row) ?? [];
    return Object.assign(rowAt(index, newPet(name, status)), key !== undefined && { key });
  });

/** Reads `Rex:sold Mia`: names with a status, or without. */
export const wordPets = (text: string): NewPet[] =>
  (text.match(/\S+/g) ?? []).map((word) => newPet(...(word.split(":") as [string, string?])));

export const wordRows = (text: string): Row[] =>
  wordPets(text).map((pet, index) => rowAt(index, pet));

const states: Record<string, RowState> = { a: "added", s: "sent", r: "rejected", i: "invalid" };

/** Returns the states of rows by letters: added, sent, rejected, invalid, or `.` for unsent. */
export const statesOf = (ends: string): readonly (RowState | undefined)[] =>
  Array.from(ends, (end) => states[end]);
