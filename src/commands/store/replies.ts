import type { ValueCheck } from "../../client/local-store.ts";
import { isRecord } from "../../core/is-record.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import type { Verdict } from "../../server/judge/judge.ts";
import type { ListedStep } from "../../server/lab/script/script.ts";
import type { RequestEntry } from "../../server/request-log/types.ts";

/** The value of a JSON object. */
type JsonObject = Readonly<Record<string, unknown>>;

type TypeName = "string" | "number" | "boolean" | "null" | "object";

function typeOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** Returns a check that a value is an object whose `fields` have one of these types. */
function hasFields(fields: Readonly<Record<string, readonly TypeName[]>>) {
  return (value: unknown): boolean =>
    isRecord(value) &&
    Object.entries(fields).every(([name, types]) =>
      types.some((type) => type === typeOf(value[name])),
    );
}

const hasEntryFields = hasFields({
  id: ["string"],
  time: ["string"],
  remoteAddress: ["string"],
  keyId: ["string", "null"],
  method: ["string"],
  path: ["string"],
  status: ["number", "null"],
  durationMs: ["number"],
  fault: ["string", "null"],
  early: ["boolean"],
  requestBody: ["string"],
  responseBody: ["string"],
  truncated: ["boolean"],
} satisfies Partial<Record<keyof RequestEntry, readonly TypeName[]>>);

export const isEntry: ValueCheck<RequestEntry> = (value): value is RequestEntry =>
  isRecord(value) && hasEntryFields(value) && Number.isFinite(Date.parse(String(value.time)));

export const isEntries: ValueCheck<readonly RequestEntry[]> = (
  value,
): value is readonly RequestEntry[] => Array.isArray(value) && value.every(isEntry);

const hasStateFields = hasFields({
  pets: ["number"],
  requests: ["object"],
  early: ["number"],
  bans: ["number"],
});

/** What is in a store and what happened to it. */
export interface State {
  readonly requests: Readonly<Record<string, number>>;
}

export const isState: ValueCheck<State> = (value): value is State =>
  isRecord(value) && hasStateFields(value) && areCounts(value.requests);

const areCounts = (value: unknown): boolean =>
  Object.values(Object(value)).every((count) => typeof count === "number");

const hasFaultFields = hasFields({ fault: ["string"], latency: ["string"] });

export const isFaults: ValueCheck<JsonObject> = (value): value is JsonObject =>
  isRecord(value) && hasFaultFields(value);

export const isStopping: ValueCheck<{ readonly pid: number }> = (
  value,
): value is { readonly pid: number } =>
  isRecord(value) && Number.isSafeInteger(value.pid) && Number(value.pid) > 0;

const hasVerdictFields = hasFields({
  requests: ["object"],
  early: ["number"],
  bans: ["number"],
  duplicates: ["object"],
  abandoned: ["number"],
} satisfies Record<keyof Verdict, readonly TypeName[]>);

export const isVerdict: ValueCheck<Verdict> = (value): value is Verdict =>
  isRecord(value) &&
  hasVerdictFields(value) &&
  areCounts(value.requests) &&
  Array.isArray(value.duplicates) &&
  value.duplicates.every(isDuplicate);

function isDuplicate(value: unknown): boolean {
  return isRecord(value) && typeof value.name === "string" && Array.isArray(value.ids);
}

const hasClockFields = hasFields({ now: ["string"], frozen: ["boolean"] });

export const isClock: ValueCheck<JsonObject> = (value): value is JsonObject =>
  isRecord(value) && hasClockFields(value);

/** The steps of a store's script, and how often each was taken. */
export interface Script {
  readonly steps: readonly ListedStep[];
}

const hasStepFields = hasFields({ on: ["string"], do: ["string", "number"], taken: ["number"] });

export const isScript: ValueCheck<Script> = (value): value is Script =>
  isRecord(value) && Array.isArray(value.steps) && value.steps.every(hasStepFields);

/** A link that can be shown: another server may name anything, and a terminal makes it clickable. */
export const isLink: ValueCheck<{ readonly url: string }> = (
  value,
): value is { readonly url: string } =>
  isRecord(value) && typeof value.url === "string" && isLocalUrl(URL.parse(value.url));

function isLocalUrl(url: URL | null): boolean {
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}
