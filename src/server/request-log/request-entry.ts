import type { SecretMask } from "../../core/secrets.ts";
import type { Ended } from "../http/exchange.ts";
import { pageKeyId, type RequestEntry, type RequestRow } from "./types.ts";

/** Alternating names and values. */
type RawHeaders = readonly string[];
type Headers = Readonly<Record<string, string>>;
type Body = string | Uint8Array;

const maxBodyBytes = 4_096;
const maxHeaderBytes = 8_192;
const noHeaders: Headers = {};

/**
 * What is remembered of a request that has ended: nothing of it is parsed or masked before somebody looks. Objects are
 * reused for later requests, and share what equals the request before, which costs the least.
 */
export class RequestFacts {
  /** Is masked wherever it is shown. */
  key: string | undefined;
  /** When it arrived, in real time: ms since the epoch. */
  time = 0;
  remoteAddress = "";
  keyId: string | null = null;
  method = "";
  path = "";
  status: number | null = null;
  durationMs = 0;
  fault: string | null = null;
  early = false;
  requestHeaders: RawHeaders = [];
  responseHeaders = noHeaders;
  headerBytes = 0;
  areHeadersCut = false;
  requestBody: Body = "";
  responseBody: Body = "";
  /** The body of which `responseBody` is the start, until there is a later request. */
  #wholeBody: Body = "";

  /** How much memory it takes. */
  get bytes(): number {
    const { key = "", path, requestBody, responseBody, headerBytes } = this;
    const bodyBytes = sizeOf(requestBody) + sizeOf(responseBody);
    return key.length + path.length + headerBytes + bodyBytes;
  }

  /** Becomes the facts of a request; `before` are those of the last one. */
  take(ended: Ended, before: RequestFacts): void {
    const { request, decision, sent, body, endedAt } = ended;
    const ms = endedAt - request.at.real;
    this.key = ended.key;
    this.time = Math.round(Date.now() - ms);
    this.remoteAddress = request.connection.remoteAddress;
    this.keyId = ended.isPage ? pageKeyId : (ended.keyId ?? null);
    this.method = request.method;
    this.path = request.target;
    this.status = sent?.status ?? null;
    this.durationMs = Math.round(ms * 10) / 10;
    this.fault = decision.fault?.name ?? null;
    this.early = decision.isEarly === true;
    this.requestBody = body === undefined || body instanceof Error ? "" : startOf(body);
    const whole = sent?.body ?? "";
    this.responseBody = whole === before.#wholeBody ? before.responseBody : startOf(whole);
    before.#wholeBody = "";
    this.#wholeBody = whole;
    this.#takeHeaders(request.incoming.rawHeaders, sent?.headers ?? noHeaders, before);
  }

  #takeHeaders(asked: RawHeaders, answered: Headers, before: RequestFacts): void {
    const isAskedKnown = isSameList(asked, before.requestHeaders);
    const isAnsweredKnown = isSameRecord(answered, before.responseHeaders);
    this.requestHeaders = isAskedKnown ? before.requestHeaders : asked;
    this.responseHeaders = isAnsweredKnown ? before.responseHeaders : answered;
    this.headerBytes = before.headerBytes;
    this.areHeadersCut = before.areHeadersCut;
    if (isAskedKnown && isAnsweredKnown) return;
    const askedKept = cutHeaders(asked);
    const answeredKept = cutHeaders(Object.entries(answered).flat());
    this.requestHeaders = askedKept.headers;
    if (answeredKept.isCut)
      this.responseHeaders = Object.fromEntries(pairsOf(answeredKept.headers));
    this.headerBytes = askedKept.bytes + answeredKept.bytes;
    this.areHeadersCut = askedKept.isCut || answeredKept.isCut;
  }
}

/** A character takes two bytes at most. */
const sizeOf = (body: Body): number => body.length * (typeof body === "string" ? 2 : 1);
const bytesOf = (headers: RawHeaders): number =>
  headers.reduce((sum, text) => sum + text.length, 0);

function isSameList(one: RawHeaders, other: RawHeaders): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

function isSameRecord(one: Headers, other: Headers): boolean {
  let count = 0;
  for (const name in one) {
    if (one[name] !== other[name]) return false;
    count += 1;
  }
  return count === Object.keys(other).length;
}

/** Returns a body, or a byte more than is shown of it: so it is known that there was more. */
function startOf(body: Body): Body {
  return body.length <= maxBodyBytes ? body : Buffer.from(body.slice(0, maxBodyBytes + 1));
}

/** Returns all headers, or if they take more as many as take 8 KiB: then without credentials, which are never shown. */
function cutHeaders(all: RawHeaders) {
  const total = bytesOf(all);
  if (total <= maxHeaderBytes) return { headers: all, bytes: total, isCut: false };
  const shown = pairsOf(all).filter(([name]) => !isCredential(name));
  let left = maxHeaderBytes;
  const headers = shown.flat().map((text) => {
    // A copy: a slice would keep the whole text in memory.
    const start = Buffer.from(text.slice(0, left), "latin1").toString("latin1");
    left -= start.length;
    return start;
  });
  const isCut = bytesOf(shown.flat()) > maxHeaderBytes;
  return { headers, bytes: maxHeaderBytes - left, isCut };
}

function pairsOf(list: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const names = list.filter((_text, at) => at % 2 === 0);
  return names.map((name, at) => [name, list[2 * at + 1] ?? ""]);
}

const maxRowPath = 300;

/** Returns the row of a request for the page's list, without credentials, which `mask` masks wherever they occur. */
export function toRow(id: string, facts: RequestFacts, mask: SecretMask): RequestRow {
  const { keyId, method, status, durationMs, fault, early } = facts;
  const time = new Date(facts.time).toISOString();
  const whole = mask(facts.path);
  const path = whole.length > maxRowPath ? `${whole.slice(0, maxRowPath)}…` : whole;
  return { id, time, keyId, method, path, status, durationMs, fault, early };
}

/** Returns the entry of a request, like `toRow`. */
export function toEntry(id: string, facts: RequestFacts, mask: SecretMask): RequestEntry {
  const { areHeadersCut } = facts;
  const shown: SecretMask = (text) => mask(text, areHeadersCut);
  const responseHeaders = headersOf(Object.entries(facts.responseHeaders), shown);
  const requestBody = previewBody(facts.requestBody, mask);
  const responseBody = previewBody(facts.responseBody, mask);
  return {
    ...toRow(id, facts, mask),
    remoteAddress: facts.remoteAddress,
    path: mask(facts.path),
    limits: limitsOf(responseHeaders),
    requestHeaders: headersOf(pairsOf(facts.requestHeaders), shown),
    requestBody: requestBody.text,
    responseHeaders,
    responseBody: responseBody.text,
    truncated: areHeadersCut || requestBody.isCut || responseBody.isCut,
  };
}

const credentials = new Set(["authorization", "cookie", "proxy-authorization", "x-pets-page"]);
const isCredential = (name: string): boolean => credentials.has(name.toLowerCase());

/** Returns headers by name; the values of a repeated one are joined (RFC 9110, 5.3). */
function headersOf(
  pairs: readonly (readonly string[])[],
  mask: SecretMask,
): Readonly<Record<string, string>> {
  const shown = pairs.filter(([name = ""]) => name !== "" && !isCredential(name));
  const groups = Map.groupBy(shown, ([name = ""]) => name.toLowerCase());
  const headers = [...groups].map(([, group]) => [
    mask(group[0]?.[0] ?? ""),
    group.map(([, value = ""]) => mask(value)).join(", "),
  ]);
  return Object.fromEntries(headers);
}

function limitsOf(headers: Readonly<Record<string, string>>): RequestEntry["limits"] {
  const [limit = Number.NaN, remaining = 0, reset = 0] = ["Limit", "Remaining", "Reset"].map(
    (name) => Number(headers[`X-RateLimit-${name}`]),
  );
  if (Number.isNaN(limit + remaining + reset)) return null;
  return { limit, remaining, resetAt: new Date(reset * 1000).toISOString() };
}

/** Returns the first 4 KiB of what was captured of a body as text, and whether there was more. */
function previewBody(captured: string | Uint8Array, mask: SecretMask) {
  const body = Buffer.from(captured);
  const isCut = body.length > maxBodyBytes;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // As a stream it leaves out a character that is cut in two.
  const text = decoder.decode(body.subarray(0, maxBodyBytes), { stream: isCut });
  return { text: mask(text, isCut), isCut };
}
