import { parseExact } from "../core/json/parse.ts";
import type { FailedRequest, Settled } from "./failures.ts";
import { headerValues } from "./retry/rate-limit-headers.ts";
import type { Redaction } from "./redact.ts";
import type { Violation } from "../core/pet-schemas.ts";
import { decodeError, decodePet, decodePets } from "../core/pet-shapes.ts";
import type { Pet } from "../core/pet.ts";

/** The most characters of what the service says that a message quotes. */
const longestQuote = 500;

/** What a reply holds: what was asked for, or what is wrong with it. */
export type BodyResult<T> = { readonly value: T } | { readonly violation: string };

/** How the body of a success is read. */
export interface Reader<T> {
  /** What was asked for, without the key; undefined where `value` breaks api.md. */
  parse(value: unknown, redaction: Redaction): T | undefined;
  /** Which rule it breaks. */
  explain(schemas: typeof import("../core/pet-schemas.ts"), value: unknown): Violation | undefined;
}

/** Reads a Pet. */
export const petReader: Reader<Pet> = {
  parse(value, redaction) {
    const pet = decodePet(value);
    return pet && withoutKey(pet, redaction);
  },
  explain: ({ petViolation }, value) => petViolation(value),
};

/** Reads a list of Pets. */
export const petsReader: Reader<readonly Pet[]> = {
  parse: (value, redaction) => decodePets(value)?.map((pet) => withoutKey(pet, redaction)),
  explain: ({ petsViolation }, value) => petsViolation(value),
};

/**
 * What the reply to a request holds, by `reader`; undefined where it is no success. For a GET only a
 * 200 is one, for a POST any 2xx (contract.md, Exit codes).
 */
export async function readBody<T>(
  { outcome }: Settled,
  method: FailedRequest["method"],
  reader: Reader<T>,
  redaction: Redaction,
): Promise<BodyResult<T> | undefined> {
  if (outcome.kind !== "reply") return undefined;
  const { status, body } = outcome.reply;
  if (status < 200 || status > 299 || body === undefined) return undefined;
  if (method === "GET" && status !== 200) return { violation: "only 200 is a success here" };
  const json = tryParse(body);
  if (json === undefined)
    return { violation: body.trim() === "" ? "the body is empty" : "the body is no JSON" };
  const value = reader.parse(json.value, redaction);
  return value === undefined
    ? { violation: await explainViolation(json.value, reader) }
    : { value };
}

async function explainViolation(value: unknown, reader: Reader<unknown>): Promise<string> {
  const violation = reader.explain(await import("../core/pet-schemas.ts"), value);
  if (violation === undefined) throw new Error("a reply was refused that breaks no rule");
  return `the body breaks the API's description: ${violation.place || "it"} ${violation.rule}`;
}

/** What the reply of a request that failed tells beside its status, without the key. */
export function errorDetails(
  { outcome }: Settled,
  redaction: Redaction,
): Pick<FailedRequest, "error" | "location"> {
  if (outcome.kind !== "reply") return {};
  const { status, headers, body } = outcome.reply;
  const quote = (text: string): string => truncate(redaction.text(text));
  const [location] = headerValues(headers, "location");
  if (status >= 300 && status < 400 && location !== undefined) {
    return { location: quote(withoutUserInfo(location)) };
  }
  const error = status >= 400 ? decodeError(tryParse(body ?? "")?.value) : undefined;
  if (error === undefined) return {};
  return { error: { ...error, code: quote(error.code), message: quote(error.message) } };
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function withoutKey(pet: Pet, redaction: Redaction): Pet {
  return { ...pet, name: redaction.name(pet.name) };
}

function truncate(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}

function withoutUserInfo(location: string): string {
  return location.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, "$1//");
}
