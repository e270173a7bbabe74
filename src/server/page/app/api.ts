import { signal } from "@preact/signals";
import { parseExact } from "../../../core/json/parse.ts";

/** The name under which the secret is stored: only pages of this origin can read it. */
const secretName = "pets-page";

/** Stores the secret that opens the store, for all windows of this origin. */
export function keepSecret(secret: string): void {
  localStorage.setItem(secretName, secret);
}

/** A failed request; the message is for the user. */
export class RequestFailure extends Error {
  /** 0 if there was no response. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The id of the store that responded last. */
export const answeringId = signal("");

/** A request to the store. */
interface PageRequest extends RequestInit {
  readonly headers?: Record<string, string>;
}

/** Sends a request that only this page can send: with the secret of its origin. */
export async function send(path: string, options: PageRequest = {}): Promise<Response> {
  const headers = { ...options.headers, "X-Pets-Page": localStorage.getItem(secretName) ?? "" };
  const response = await fetch(path, { ...options, headers, cache: "no-store" }).catch(unanswered);
  const id = response.headers.get("X-Pets-Store");
  if (id !== null) answeringId.value = id;
  return response;
}

function unanswered(): never {
  const message = "The store is unreachable. Is it running? Start it with `pets serve`.";
  throw new RequestFailure(0, message);
}

/** Returns the text of a successful response. Throws a RequestFailure with the message of the service. */
export async function getText(path: string, options?: PageRequest): Promise<string> {
  const response = await send(path, options);
  const text = await response.text().catch(unanswered);
  if (response.ok) return text;
  throw failureOf(response, readJson(text));
}

/** Returns the JSON value of a successful response, with exact int64s. Throws a RequestFailure. */
export async function getJson(path: string, options?: PageRequest): Promise<unknown> {
  const value = readJson(await getText(path, options));
  if (value === undefined) throw failureOf({ status: 200 }, value);
  return value;
}

function failureOf({ status }: Pick<Response, "status">, body: unknown): RequestFailure {
  const { message } = Object(body);
  const text = typeof message === "string" ? message : `the store responded with ${status}`;
  return new RequestFailure(status, text);
}

/** Like `getJson`, for a POST with JSON text as its body. */
export function postJson(path: string, body: string): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  return getJson(path, { method: "POST", headers, body });
}

/** Returns the value of a JSON text, with exact int64s; undefined if it is none. */
export function readJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
