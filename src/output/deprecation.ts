import type { DeprecationNotice } from "../client/http/reply-head.ts";
import { getRemovedAt } from "../core/api.ts";
import { escapeControls } from "../core/sanitize.ts";
import { truncate } from "../core/strings.ts";

// RFC 9110 section 5.6.7, IMF-fixdate: the only form that a server may send.
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
// RFC 9651 section 3.3.7: seconds since the epoch.
const structuredDate = /^@(-?\d{1,12})$/;
const successor = /<([^>]*)>[^,]*;\s*rel="?(?:successor-version|deprecation|sunset)\b/i;
const maxLength = 100;

// Made when it is needed: the first `Intl` of a process takes 15 ms (test/bench/startup.ts).
const formatDate = (date: Date): string =>
  date.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });

/**
 * Returns one sentence about a notice of deprecation: since or from when the request is deprecated
 * (RFC 9745), when it will be removed (RFC 8594), and where to read more. A value that is not a date
 * is shown as it was sent, escaped.
 */
export function deprecationText({ deprecation, sunset, link }: DeprecationNotice): string {
  const start = deprecation === undefined ? "" : deprecatedFrom(deprecation);
  const end = !sunset?.trim() ? "" : `will be removed on ${describeDate(sunset)}`;
  const what = [start, end].filter(Boolean).join(" and ");
  const target = successor.exec(link ?? "")?.[1];
  const more = target ? `; see ${safe(target)}` : "";
  return `The service says that this request ${what || "is deprecated"}${more}.`;
}

/** Returns whether a notice names a different removal date than the known one for `GET /pets/{petId}`. */
export function announcesOtherRemoval({ sunset = "" }: DeprecationNotice): boolean {
  return sunset.trim() !== "" && describeDate(sunset) !== describeDate(`@${getRemovedAt / 1000}`);
}

// Drafts of RFC 9745 allowed the value `true`, and HTTP dates.
function deprecatedFrom(value: string): string {
  const isPlain = value.trim() === "" || /^(?:true|\?1)$/i.test(value.trim());
  return isPlain ? "is deprecated" : `is deprecated as of ${describeDate(value)}`;
}

function describeDate(value: string): string {
  const trimmed = value.trim();
  const date = new Date(msOf(trimmed));
  return Number.isNaN(date.getTime()) ? `"${safe(trimmed)}"` : formatDate(date);
}

/** Returns ms since the epoch; NaN if `value` is not a date. */
function msOf(value: string): number {
  const seconds = structuredDate.exec(value)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  return httpDate.test(value) ? Date.parse(value) : Number.NaN;
}

const safe = (text: string): string => truncate(escapeControls(text), maxLength);
