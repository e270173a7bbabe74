import { signal } from "@preact/signals";
import { isRecord, parseExact } from "../../../core/json/parse.ts";

/** The name under which the secret of the store is saved for this origin: no other page can read it. */
export const secretName = "pets-page";

/** A failed request; the message is for the user. */
export class RequestFailure extends Error {
  /** 0 if there was no response. */
  readonly status: number;

  constructor(status: number, message = `the store responded with ${status}`) {
    super(message);
    this.status = status;
  }
}

/** The id of the store that responded last. */
export const answeringId = signal("");

/** Sends a request with the secret of the store. Throws a RequestFailure if there is no response. */
export async function send(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("X-Pets-Page", localStorage.getItem(secretName) ?? "");
  const response = await fetch(path, { ...options, headers, cache: "no-store" }).catch(unanswered);
  answeringId.value = response.headers.get("X-Pets-Store") ?? answeringId.value;
  return response;
}

function unanswered(): never {
  const message = "The store is unreachable. Is it running? Start it with `pets serve`.";
  throw new RequestFailure(0, message);
}

/** Returns the JSON value at `path`, by `parse` if not with exact int64s. Throws a RequestFailure with the service's message. */
export async function getJson<Value>(
  path: string,
  options: RequestInit = {},
  parse = parseExact,
): Promise<Value> {
  return jsonOf(await send(path, options), parse);
}

/** Like `getJson`, for a POST with JSON text as its body. */
export async function postJson<Value>(path: string, body: string): Promise<Value> {
  const headers = { "Content-Type": "application/json" };
  return jsonOf(await send(path, { method: "POST", headers, body }));
}

async function jsonOf<Value>(response: Response, parse = parseExact): Promise<Value> {
  const value = readJson(await response.text().catch(unanswered), parse);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a page is served by the store that it asks.
  if (response.ok && value !== undefined) return value as Value;
  const message = isRecord(value) ? value.message : undefined;
  throw new RequestFailure(response.status, typeof message === "string" ? message : undefined);
}

/** Returns the value of a JSON text, with exact int64s; undefined for other text. */
export function readJson(text: string, parse = parseExact): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
