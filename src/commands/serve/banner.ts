import { maskKey } from "../../core/api-key.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { keyRecord } from "../../server/keys.ts";
import { describePlan, parsePlan } from "../../server/rate-limits/plans.ts";
import type { Context } from "../context.ts";
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
 * Returns what `pets serve` prints for people when it is ready. A key from the environment is
 * masked: it may be a secret of a CI job, whose log others read.
 */
export function readyText(
  { baseUrl, keys, data, page }: Service,
  example: string,
  secret: string | undefined,
): string {
  const lines = [
    `The store is ready at ${baseUrl}`,
    ...keys.map((key) => `Key   ${describeKey(key, secret)}`),
    `Data  ${data === "memory" ? "in memory (discarded on exit)" : data}`,
    `Try   ${example}`,
    ...(page === undefined ? [] : [`Page  ${page}`]),
  ];
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}

/** Returns a key with the id under which it is listed elsewhere, and what it may do. */
function describeKey({ apiKey, plan }: IssuedKey, secret: string | undefined): string {
  const shown = apiKey === secret ? `${maskKey(apiKey)} from PETS_SERVE_KEY` : apiKey;
  const known = parsePlan(plan);
  const allowed = known === undefined ? "" : `: ${describePlan(known)}`;
  return `${shown} (id ${keyRecord(apiKey, plan).id}, plan ${plan}${allowed})`;
}
