import { isLabelled, type LabelledName, settingList } from "../config/setting-table.ts";
import type { LimitRecord } from "./rate-limit-report.ts";
import type { RecordColumn } from "./records.ts";
import { formatTook } from "./text/format.ts";
import { escapeControls } from "../core/sanitize.ts";

/** The settings that `pets status` shows, and where each comes from. */
export type ShownSettings = { readonly [Name in LabelledName | `${LabelledName}From`]?: string };

/** What `pets status` found; what is unknown or does not apply is left out. */
export interface StatusReport extends LimitRecord, ShownSettings {
  readonly ok: boolean;
  readonly exitCode: number;
  /** What is wrong. */
  readonly problem?: string;
  /** The API key, masked. */
  readonly key?: string;
  readonly keyFrom?: string;
  /** Whether the service answered; undefined if it was not asked. */
  readonly answered?: boolean;
  /** The HTTP status of its answer. */
  readonly status?: number;
  /** How long the answer took, in ms. */
  readonly ms?: number;
  /** Whether the service accepted the key; undefined if its answer does not say. */
  readonly keyAccepted?: boolean;
  readonly configFile: string;
  readonly stateFolder: string;
  readonly dataFolder: string;
  readonly cacheFolder: string;
  readonly version: string;
  readonly node: string;
  readonly platform: string;
}

/** Its lines and fields of settings. */
const labelled = settingList.flatMap(({ name, label = "" }) =>
  isLabelled(name) ? [{ name, label }] : [],
);

const text = (field: keyof StatusReport): RecordColumn => ({
  field,
  header: field.toUpperCase(),
  kind: "text",
});

/** The fields of the report, in order. */
export const statusColumns: readonly RecordColumn[] = (
  [
    ["ok", "exitCode", "problem"],
    labelled.flatMap(({ name }) => [name, `${name}From`] as const),
    ["key", "keyFrom", "answered", "status", "ms", "keyAccepted", "limit", "remaining"],
    ["resetAt", "waitUntil", "waitReason", "seenAt", "limiter", "configFile", "stateFolder"],
    ["dataFolder", "cacheFolder", "version", "node", "platform"],
  ] as const
)
  .flat()
  .map(text);

/**
 * Returns the report for people, a line for each subject, none wider than `width`; `limits` are
 * sentences (limitSentences).
 */
export function statusReport(
  report: StatusReport,
  limits: readonly string[],
  width?: number,
): string {
  const rows: readonly (readonly [label: string, value: string])[] = [
    ...labelled.map(
      ({ name, label }) => [label, withSource(report[name], report[`${name}From`])] as const,
    ),
    ["Key", withSource(report.key, report.keyFrom)],
    ["Service", serviceText(report)],
    ["Limits", limits.join(" ") || "none known"],
    ["Profiles", report.configFile],
    ["State", report.stateFolder],
    ["Data", report.dataFolder],
    ["Cache", report.cacheFolder],
    ["Versions", `pets ${report.version}, Node.js ${report.node}, ${report.platform}`],
  ];
  return rows.flatMap(([label, value]) => wrapped(label, escapeControls(value), width)).join("");
}

function withSource(value: string | undefined, from: string | undefined): string {
  if (value === undefined) return "none";
  return from === undefined ? value : `${value} (${from})`;
}

function serviceText({ answered, problem, ms, keyAccepted }: StatusReport): string {
  if (answered === undefined) return "not asked";
  const time = ms === undefined ? "" : ` (${formatTook(ms)})`;
  if (problem !== undefined) return `${problem}${time}`;
  return `responds in ${formatTook(ms ?? 0)}${keyAccepted ? ", and accepts the key" : ""}`;
}

const indent = 10;
/** The minimum width of a value, in columns, however narrow the terminal. */
const minWidth = 10;

/** Returns the lines of one subject; a value that is too wide is wrapped below its beginning. */
function wrapped(label: string, value: string, width = Number.POSITIVE_INFINITY): string[] {
  const room = Math.max(minWidth, width - indent);
  const lines = [""];
  for (const word of value.split(" ")) {
    const line = lines.at(-1) ?? "";
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= room) lines[lines.length - 1] = joined;
    else lines.push(...pieces(word, room));
  }
  const filled = lines.filter((line, index) => line !== "" || index > 0);
  return filled.map((line, index) => `${(index === 0 ? label : "").padEnd(indent)}${line}\n`);
}

function pieces(word: string, length: number): readonly string[] {
  const count = Math.ceil(word.length / length);
  return Array.from({ length: count }, (_none, at) => word.slice(at * length, (at + 1) * length));
}
