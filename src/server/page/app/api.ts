import { parseExact } from "../../../core/json/parse.ts";

/** A failed request; the message is for the user. */
export class RequestFailure extends Error {
  /** 0 if there was no reply. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Called with the id of the store that sent a reply; each reply has it. */
type StoreIdObserver = (id: string) => void;

let observer: StoreIdObserver = () => {};

/** Calls `next` with the id of the store in each reply from now on. */
export function observeStoreId(next: StoreIdObserver): void {
  observer = next;
}

/** A request to the store. */
interface PageRequest {
  readonly method?: "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request that only this page can send: others can't set the header (no CORS). */
export async function send(path: string, options: PageRequest = {}): Promise<Response> {
  const headers = { ...options.headers, "X-Pets-Page": "1" };
  const response = await fetch(path, { ...options, headers, cache: "no-store" }).catch(unanswered);
  const id = response.headers.get("X-Pets-Store");
  if (id !== null) observer(id);
  return response;
}

function unanswered(): never {
  const message = "The store does not answer. Is it running? Start it with `pets serve`.";
  throw new RequestFailure(0, message);
}

/** Returns the JSON value of a reply, with exact int64s. Throws a RequestFailure with the message of the service. */
export async function getJson(path: string, options?: PageRequest): Promise<unknown> {
  const response = await send(path, options);
  const value = readJson(await response.text().catch(unanswered));
  if (response.ok && value !== undefined) return value;
  const { message } = Object(value);
  const text = typeof message === "string" ? message : `the store answered ${response.status}`;
  throw new RequestFailure(response.status, text);
}

/** Like `getJson`, for a POST with JSON text as its body. */
export function postJson(path: string, body: string): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  return getJson(path, { method: "POST", headers, body });
}

function readJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
