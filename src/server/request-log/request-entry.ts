import type { SecretMask } from "../../core/secrets.ts";
import type { EndedExchange } from "../http/exchange.ts";
import { pageKeyId, type RequestEntry, type RequestRow } from "./types.ts";

/** What is remembered about a request that has ended: nothing of it is parsed or masked before somebody looks. */
export type RequestFacts = ReturnType<typeof entryFacts>;

/** Returns the facts of a request; they hold neither its connection nor its streams. */
export function entryFacts(exchange: EndedExchange) {
  const { sent, body, key, arrivedAt, endedAt } = exchange;
  return {
    /** Is masked wherever it is shown. */
    key,
    /** When it arrived, in real time: ms since the epoch. */
    time: Math.round(Date.now() - (endedAt - arrivedAt)),
    remoteAddress: exchange.connection.remoteAddress,
    keyId: exchange.isPage ? pageKeyId : (exchange.keyId ?? null),
    method: exchange.method,
    path: exchange.target,
    status: sent?.status ?? null,
    durationMs: Math.round((endedAt - arrivedAt) * 10) / 10,
    fault: exchange.fault?.name ?? null,
    early: exchange.isEarly,
    /** Alternating names and values. */
    requestHeaders: exchange.incoming.rawHeaders,
    requestBody: captureBody(body === undefined || body instanceof Error ? "" : body),
    responseHeaders: sent?.headers ?? {},
    responseBody: captureBody(sent?.body ?? ""),
  };
}

/** Returns `facts` with the headers of `before` if they are equal: their texts would cost more than all else together. */
export function shareHeaders(facts: RequestFacts, before = facts): RequestFacts {
  const { requestHeaders: known } = before;
  const { requestHeaders: own } = facts;
  const isEqual = own.length === known.length && own.every((text, at) => text === known[at]);
  if (isEqual) facts.requestHeaders = known;
  return facts;
}

const maxPreviewBytes = 4_096;
/** A body up to this size is stored as it is: that needs no copy, and takes 32 MB in total at most. */
const maxWholeBytes = 32_768;

function captureBody(body: string | Uint8Array): string | Uint8Array {
  if (body.length <= maxWholeBytes) return body;
  // A byte more than is shown: so it is known that there was more.
  return Buffer.from(body.slice(0, maxPreviewBytes + 1));
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
  const names = facts.requestHeaders.filter((_text, at) => at % 2 === 0);
  const requestHeaders = names.map((name, at) => [name, facts.requestHeaders[2 * at + 1] ?? ""]);
  const responseHeaders = headersOf(Object.entries(facts.responseHeaders), mask);
  const requestBody = previewBody(facts.requestBody, mask);
  const responseBody = previewBody(facts.responseBody, mask);
  return {
    ...toRow(id, facts, mask),
    remoteAddress: facts.remoteAddress,
    path: mask(facts.path),
    limits: limitsOf(responseHeaders),
    requestHeaders: headersOf(requestHeaders, mask),
    requestBody: requestBody.text,
    responseHeaders,
    responseBody: responseBody.text,
    truncated: requestBody.isCut || responseBody.isCut,
  };
}

const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization", "x-pets-page"]);

/** Returns headers by name; the values of a repeated one are joined (RFC 9110, 5.3). */
function headersOf(
  pairs: readonly (readonly string[])[],
  mask: SecretMask,
): Readonly<Record<string, string>> {
  const groups = Map.groupBy(pairs, ([name = ""]) => name.toLowerCase());
  const shown = [...groups].filter(([name]) => !secretHeaders.has(name));
  const headers = shown.map(([, group]) => [
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
  const isCut = body.length > maxPreviewBytes;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // As a stream it leaves out a character that is cut in two.
  const text = decoder.decode(body.subarray(0, maxPreviewBytes), { stream: isCut });
  return { text: mask(text, isCut), isCut };
}
