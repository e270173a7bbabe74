import { previewBody } from "./body-preview.ts";
import type { SecretMask } from "../../core/secret-mask.ts";
import type { RequestMasks } from "../secrets.ts";
import { type EntryLimits, maxRowPath, type RequestEntry, type RequestRow } from "./types.ts";
import type { RequestFacts } from "./request-facts.ts";

/** Names and values of headers, as they were sent. */
type HeaderPairs = readonly (readonly [name: string, value: string])[];

const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Returns the entry of `facts`, without credentials, which are masked wherever else they occur, as `maskOf` says. */
export function toEntry(
  id: string,
  facts: RequestFacts,
  maskOf: RequestMasks["maskOf"],
): RequestEntry {
  const requestHeaders = pairsOf(facts.requestHeaders);
  const responseHeaders = Object.entries(facts.responseHeaders);
  const mask = maskOf(facts.requestHeaders);
  const requestBody = previewBody(facts.requestBody, mask);
  const responseBody = previewBody(facts.responseBody, mask);
  return {
    ...commonOf(id, facts),
    remoteAddress: facts.remoteAddress,
    path: mask(facts.path),
    limits: limitsOf(responseHeaders),
    requestHeaders: headersOf(requestHeaders, mask),
    requestBody: requestBody.text,
    responseHeaders: headersOf(responseHeaders, mask),
    responseBody: responseBody.text,
    truncated: requestBody.truncated || responseBody.truncated,
  };
}

/** Returns the row of `facts` for the page's list, without credentials. */
export function toRow(id: string, facts: RequestFacts, maskOf: RequestMasks["maskOf"]): RequestRow {
  const path = maskOf(facts.requestHeaders)(facts.path);
  return {
    ...commonOf(id, facts),
    path: path.length > maxRowPath ? `${path.slice(0, maxRowPath)}…` : path,
  };
}

function commonOf(id: string, facts: RequestFacts): Omit<RequestRow, "path"> {
  return {
    id,
    time: new Date(facts.time).toISOString(),
    keyId: facts.keyId ?? null,
    method: facts.method,
    status: facts.status ?? null,
    durationMs: Math.round(facts.durationMs * 10) / 10,
    fault: facts.fault ?? null,
    early: facts.early,
  };
}

function pairsOf(raw: readonly string[]): HeaderPairs {
  const names = raw.filter((_text, at) => at % 2 === 0);
  return names.map((name, at) => [name, raw[2 * at + 1] ?? ""]);
}

function valuesOf(headers: HeaderPairs, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

/** Returns headers by name; the values of a repeated one are joined (RFC 9110, 5.3). */
function headersOf(pairs: HeaderPairs, mask: SecretMask): Readonly<Record<string, string>> {
  const headers = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (secretHeaders.has(key)) continue;
    const [firstName, before] = headers.get(key) ?? [mask(name), undefined];
    headers.set(key, [firstName, before === undefined ? mask(value) : `${before}, ${mask(value)}`]);
  }
  return Object.fromEntries(headers.values());
}

function limitsOf(headers: HeaderPairs): EntryLimits | null {
  const number = (name: string): number => Number(valuesOf(headers, name)[0] ?? Number.NaN);
  const limit = number("x-ratelimit-limit");
  const remaining = number("x-ratelimit-remaining");
  const reset = number("x-ratelimit-reset");
  if (Number.isNaN(limit + remaining + reset)) return null;
  return { limit, remaining, resetAt: new Date(reset * 1000).toISOString() };
}
