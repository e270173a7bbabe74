import * as z from "zod/mini";
import { isRecord, isTooDeep, parseExact, tooDeep } from "../core/json/parse.ts";
import { decode, type Decoded, type Violation } from "../core/pet.ts";
import type { Secrets } from "../core/secrets.ts";
import { truncate } from "../core/strings.ts";
import type { FailedRequest, FinalOutcome } from "./failures.ts";
import type { Method } from "./http/sender.ts";

const maxQuoteLength = 500;

const errorBody = z.object({ code: z.string(), message: z.string(), status: z.int() });

/** Decodes a JSON value. */
export type Reader<T> = (value: unknown) => Decoded<T>;

/** Returns the body of a success (200, for a POST any 2xx), or which rule it breaks; undefined of another reply. */
export function readBody<T>(
  { outcome }: FinalOutcome,
  method: Method,
  reader: Reader<T>,
): { readonly value: T } | Pick<FailedRequest, "violation" | "inRecord"> | undefined {
  if (outcome.kind !== "reply") return undefined;
  const { status, body } = outcome.reply;
  if (status < 200 || status > 299 || body === undefined) return undefined;
  if (method === "GET" && status !== 200) return { violation: "only 200 is expected here" };
  const value = tryParse(body);
  if (value === undefined) {
    const problem = isTooDeep(body) ? tooDeep : "is not JSON";
    return { violation: `the body ${body.trim() === "" ? "is empty" : problem}` };
  }
  const decoded = reader(value);
  if ("value" in decoded) return decoded;
  const { violation } = decoded;
  const [first] = violation.path;
  // The id is checked first: an object without a valid id is probably not an animal.
  const inRecord = first !== undefined && first !== "id";
  return { violation: explainViolation(violation), ...(inRecord && { inRecord }) };
}

function explainViolation({ path, rule }: Violation): string {
  const field = path.map((key) => (typeof key === "number" ? `[${key}]` : String(key))).join(".");
  return `the body does not match the API: ${field || "it"} ${rule}`;
}

/** Returns what the reply to a failed request says besides its status, without `secrets`. */
export function errorDetails(
  { outcome }: FinalOutcome,
  secrets: Secrets,
): Pick<FailedRequest, "error" | "said" | "location"> {
  if (outcome.kind !== "reply") return {};
  const { status, location = "", body } = outcome.reply;
  const quote = (text: string): string => truncate(secrets.inReply(text), maxQuoteLength);
  const shown = location.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, "$1//");
  if (status >= 300 && status < 400 && shown !== "") return { location: quote(shown) };
  if (status < 400) return {};
  const value = tryParse(body ?? "");
  const decoded = decode(errorBody, value);
  if ("violation" in decoded) {
    const said = isRecord(value) && [value.message, value.detail, value.title].find(isText);
    return said ? { said: quote(said) } : {};
  }
  const error = decoded.value;
  return { error: { ...error, code: quote(error.code), message: quote(error.message) } };
}

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "";

/** Returns the exact value of a JSON text; undefined of any other text. */
function tryParse(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
