import { parseExact } from "../json/parse.ts";
import type { Ended, Settled } from "./failures.ts";
import { headerValues } from "./rate-headers.ts";
import type { Redaction } from "./redact.ts";
import { asErrorBody, type Checked, checkPet, checkPets } from "./schemas.ts";
import type { Pet } from "./types.ts";

/** The most characters of what the service says that a message quotes. */
const longestQuote = 500;

/** What a reply holds: what was asked for, or what is wrong with it. */
export type Held<T> = { readonly value: T } | { readonly violation: string };

/** How the body of a success is read. */
export type Reader<T> = (body: string, redaction: Redaction) => Held<T>;

/** The Pet in a body, without the key. */
export const readPet: Reader<Pet> = (body, redaction) => {
  const held = readBody(body, checkPet);
  return "value" in held ? { value: withoutKey(held.value, redaction) } : held;
};

/** The list of Pets in a body, without the key. */
export const readPets: Reader<readonly Pet[]> = (body, redaction) => {
  const held = readBody(body, checkPets);
  return "value" in held ? { value: held.value.map((pet) => withoutKey(pet, redaction)) } : held;
};

/**
 * What the reply to a request holds, by `read`; undefined where it is no success. For a GET only a
 * 200 is one, for a POST any 2xx (contract.md, Exit codes).
 */
export function heldBy<T>(
  { outcome }: Settled,
  method: Ended["method"],
  read: Reader<T>,
  redaction: Redaction,
): Held<T> | undefined {
  if (outcome.kind !== "reply") return undefined;
  const { status, body } = outcome.reply;
  if (status < 200 || status > 299 || body === undefined) return undefined;
  if (method === "GET" && status !== 200) return { violation: "only 200 is a success here" };
  return read(body, redaction);
}

/** What the reply of a request that failed tells beside its status, without the key. */
export function detailsOf(
  { outcome }: Settled,
  redaction: Redaction,
): Pick<Ended, "error" | "location"> {
  if (outcome.kind !== "reply") return {};
  const { status, headers, body } = outcome.reply;
  const quote = (text: string): string => clip(redaction.text(text));
  const [location] = headerValues(headers, "location");
  if (status >= 300 && status < 400 && location !== undefined) {
    return { location: quote(withoutUserInfo(location)) };
  }
  const error = status >= 400 ? asErrorBody(tryParse(body ?? "")?.value) : undefined;
  if (error === undefined) return {};
  return { error: { ...error, code: quote(error.code), message: quote(error.message) } };
}

function readBody<T>(body: string, check: (value: unknown) => Checked<T>): Held<T> {
  const json = tryParse(body);
  if (json === undefined) {
    return { violation: body.trim() === "" ? "the body is empty" : "the body is no JSON" };
  }
  const checked = check(json.value);
  if ("value" in checked) return checked;
  const { place, rule } = checked.violation;
  return { violation: `the body breaks the API's description: ${place || "it"} ${rule}` };
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

function clip(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}

function withoutUserInfo(location: string): string {
  return location.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, "$1//");
}
