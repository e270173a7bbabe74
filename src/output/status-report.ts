import { formatTook } from "../core/format.ts";
import { escapeControls } from "../core/sanitize.ts";
import { text } from "./columns.ts";
import type { limitRecord } from "./rate-limit-report.ts";
import { wrap } from "./wrap.ts";

type Part = "profile" | "baseUrl" | "key" | "proxy";
type Folder = "configFile" | "stateDirectory" | "dataDirectory" | "cacheDirectory";

/** What `pets status` found, the key masked; what is unknown or does not apply is left out. */
export interface StatusReport
  extends
    Partial<Readonly<Record<"problem" | Part | `${Part}From`, string>>>,
    Readonly<Record<Folder | "version" | "node" | "platform", string>>,
    Partial<ReturnType<typeof limitRecord>> {
  readonly ok: boolean;
  readonly exitCode: number;
  /** Whether the service answered, with which HTTP status, and how fast; undefined if it was not asked. */
  readonly answered?: boolean;
  readonly status?: number;
  readonly ms?: number;
  /** Undefined if the answer does not say. */
  readonly keyAccepted?: boolean;
}

export const statusColumns = [
  "ok exitCode problem profile profileFrom baseUrl baseUrlFrom key keyFrom proxy proxyFrom",
  "answered status ms",
  "keyAccepted limit remaining resetAt waitUntil waitReason seenAt limiter limiterDirectory unlimited",
  "configFile stateDirectory dataDirectory cacheDirectory version node platform",
]
  .flatMap((fields) => fields.split(" "))
  .map((field) => text(field));

/** Returns the report for people, a line for each subject, none wider than `width`; `limits` are sentences. */
export function statusReport(
  report: StatusReport,
  limits: readonly string[],
  width?: number,
): string {
  const sourced = (part: Part): string => {
    const { [part]: value = "none", [`${part}From` as const]: from } = report;
    return from === undefined ? value : `${value} (${from})`;
  };
  const rows = {
    Profile: sourced("profile"),
    "Base URL": sourced("baseUrl"),
    Key: sourced("key"),
    ...(report.proxy && { Proxy: sourced("proxy") }),
    Service: serviceText(report),
    Limits: limits.join(" ") || "unknown",
    Profiles: report.configFile,
    State: report.stateDirectory,
    Data: report.dataDirectory,
    Cache: report.cacheDirectory,
    Versions: `pets ${report.version}, Node.js ${report.node}, ${report.platform}`,
  };
  return Object.entries(rows)
    .flatMap(([label, value]) => wrapped(label, escapeControls(value), width))
    .join("");
}

function serviceText({ answered, problem, ms, keyAccepted }: StatusReport): string {
  if (answered === undefined) return "not tested";
  const time = ms === undefined ? "" : ` (${formatTook(ms)})`;
  if (problem !== undefined) return `${problem}${time}`;
  return `responds in ${formatTook(ms ?? 0)}${keyAccepted ? ", and accepts the key" : ""}`;
}

const indent = 10;
/** The minimum columns of a value, however narrow the terminal. */
const minWidth = 10;

/** Returns the lines of one subject; a value that is too wide is wrapped below its beginning. */
function wrapped(label: string, value: string, width = Number.MAX_SAFE_INTEGER): string[] {
  const room = Math.max(minWidth, width - indent);
  const broken = value.replace(new RegExp(`\\S{${room}}(?=\\S)`, "g"), "$& ");
  return wrap(broken, room).map(
    (line, index) => `${(index === 0 ? label : "").padEnd(indent)}${line}\n`,
  );
}
