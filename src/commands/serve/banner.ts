import type { Context } from "../context.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { maskKey } from "../../core/api-key.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { describePlan, parsePlan } from "../../server/rate-limits/plans.ts";
import type { IssuedKey, Service } from "./start-service.ts";

/** Returns the one line of `pets serve --json` (store.md, Starting it). */
export function readyJson({ baseUrl, keys, data, page }: Service, { machine }: Context): string {
  const [{ apiKey, plan }] = keys;
  return `${stringifyExact({ baseUrl, apiKey, plan, keys, data, page, pid: machine.pid })}\n`;
}

/**
 * Returns what `pets serve --verbose -- command` logs before the command runs, with keys masked.
 */
export function runningText({ baseUrl, keys, data }: Service, command: readonly string[]): string {
  return toLines([
    `The store is ready at ${baseUrl}`,
    ...keys.map(({ apiKey, plan }) => `Key   ${withPlan(maskKey(apiKey), plan)}`),
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
  return data === "memory" ? "in memory, lost when it stops" : data;
}

function describeKey({ apiKey, plan }: IssuedKey, secret: string | undefined): string {
  return withPlan(apiKey === secret ? `${maskKey(apiKey)} from PETS_SERVE_KEY` : apiKey, plan);
}

function withPlan(shown: string, plan: string): string {
  const known = parsePlan(plan);
  const allowed = known === undefined ? "" : `: ${describePlan(known)}`;
  return `${shown} (plan ${plan}${allowed})`;
}
