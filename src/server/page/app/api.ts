import { parseExact } from "../../../core/json/parse.ts";

/** A request that did not work; the message is ready to be shown. */
export class RequestFailure extends Error {
  /** 0 where there was no reply. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Called with the id of the store that sent a reply; each reply carries it. */
type StoreIdObserver = (id: string) => void;

let observer: StoreIdObserver = () => {};

/** Lets `next` see the id of the store in each reply from now on. */
export function observeStoreId(next: StoreIdObserver): void {
  observer = next;
}

/** What is sent to the store. */
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

/** The JSON value of a reply; int64 are exact. Throws a RequestFailure with the message of the service. */
export async function getJson(path: string, options?: PageRequest): Promise<unknown> {
  const response = await send(path, options);
  const value = readJson(await response.text().catch(unanswered));
  if (response.ok && value !== undefined) return value;
  const { message } = Object(value);
  const text = typeof message === "string" ? message : `the store answered ${response.status}`;
  throw new RequestFailure(response.status, text);
}

/** `getJson` for a POST with a JSON text as its body. */
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
