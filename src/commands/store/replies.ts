import type { RequestEntry } from "../../server/inspect/types.ts";

/** Whether a reply has the form that `pets serve` gives it: any other server may answer as well. */
export type ReplyCheck<T> = (value: unknown) => value is T;

/** The value of a JSON object. */
type JsonObject = Readonly<Record<string, unknown>>;

export const isRecord: ReplyCheck<JsonObject> = (value): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isEntry: ReplyCheck<RequestEntry> = (value): value is RequestEntry => {
  if (!isRecord(value)) return false;
  const { id, time, method, path, durationMs } = value;
  return (
    [id, time, method, path].every((text) => typeof text === "string") &&
    typeof durationMs === "number" &&
    Number.isFinite(Date.parse(String(time)))
  );
};

export const isEntries: ReplyCheck<readonly RequestEntry[]> = (
  value,
): value is readonly RequestEntry[] => Array.isArray(value) && value.every(isEntry);

export const isLink: ReplyCheck<{ readonly url: string }> = (
  value,
): value is { readonly url: string } =>
  isRecord(value) && typeof value.url === "string" && URL.canParse(value.url);
