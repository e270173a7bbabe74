import type { Context } from "../context.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { maskKey } from "../../core/api-key.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { keyRecord } from "../../server/keys.ts";
import { describePlan, parsePlan } from "../../server/rate-limits/plans.ts";
import type { IssuedKey, Service } from "./start-service.ts";

/** Returns the one line of `pets serve --json`. */
export function readyJson({ baseUrl, keys, data, page }: Service, { machine }: Context): string {
  const [{ apiKey, plan }] = keys;
  return `${stringifyExact({ baseUrl, apiKey, plan, keys, data, page, pid: machine.pid })}\n`;
}

/** Returns what `--write-env` appends, as `$GITHUB_ENV` and `docker --env-file` read it. */
export function envLines({
  baseUrl,
  keys: [{ apiKey }],
}: Pick<Service, "baseUrl" | "keys">): string {
  return `PETS_BASE_URL=${baseUrl}\nPETS_API_KEY=${apiKey}\n`;
}

/**
 * Returns what `pets serve --verbose -- command` logs before the command runs, with keys masked.
 */
export function runningText({ baseUrl, keys, data }: Service, command: readonly string[]): string {
  return toLines([
    `The store is ready at ${baseUrl}`,
    ...keys.map((key) => `Key   ${withPlan(maskKey(key.apiKey), key)}`),
    `Data  ${describeLocation(data)}`,
    `Run   ${command.join(" ")}`,
  ]);
}

/**
 * Returns what `pets serve` prints for people when it is ready. A key from the environment is
 * masked: it may be a secret of a CI job, whose log others read.
 */
export function readyText(
  { baseUrl, keys, data, page }: Service,
  { command, secret }: { readonly command: string; readonly secret: string | undefined },
): string {
  return toLines([
    `The store is ready at ${baseUrl}`,
    ...keys.map((key) => `Key   ${describeKey(key, secret)}`),
    `Data  ${describeLocation(data)}`,
    `Try   ${command}`,
    ...(page === undefined ? [] : [`Page  ${page}`]),
  ]);
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}

function describeLocation(data: string): string {
  return data === "memory" ? "in memory (discarded on exit)" : data;
}

function describeKey(key: IssuedKey, secret: string | undefined): string {
  const { apiKey } = key;
  return withPlan(apiKey === secret ? `${maskKey(apiKey)} from PETS_SERVE_KEY` : apiKey, key);
}

/** Returns the key as `shown`, with the id under which it is listed elsewhere, and what it may do. */
function withPlan(shown: string, { apiKey, plan }: IssuedKey): string {
  const known = parsePlan(plan);
  const allowed = known === undefined ? "" : `: ${describePlan(known)}`;
  return `${shown} (id ${keyRecord(apiKey, plan).id}, plan ${plan}${allowed})`;
}
