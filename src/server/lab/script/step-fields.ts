import type { WireFault } from "../../http/exchange.ts";
import { ScriptError } from "./script-error.ts";

/** The statuses that a step may send. */
export const statuses = [429, 500, 502, 503, 504] as const;

/** What a step may do on the wire. */
export const scriptWires = [
  "reset",
  "truncate",
  "hang",
  "slow",
  "close",
  "interim",
] as const satisfies WireFault[];

/** Returns whether a step's `do` is trouble on the wire. */
export function isWire(action: unknown): action is WireFault {
  return scriptWires.some((each) => each === action);
}

/** What a script knows of a request. */
export interface ScriptedRequest {
  readonly method: string;
  /** As it was sent, /v1 included. */
  readonly path: string;
  /** The number of its key among the store's keys, from 0. */
  readonly key: number | undefined;
}

/** Returns whether a step is for a request. */
export type RequestMatcher = (request: ScriptedRequest) => boolean;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Returns the matcher of a step's `on` (`*`, a method, or a method and a path below /v1 in which `*` is any segment)
 * and `key` (from 1). Throws a ScriptError.
 */
export function parseMatcher(on: unknown, key: number | undefined): RequestMatcher {
  const [method = "", path, ...others] = typeof on === "string" ? on.split(" ") : [];
  const isPath = path === undefined || /^\/[^?#\s]*$/.test(path);
  const isValid = method === "*" ? path === undefined : methods.has(method) && isPath;
  if (!isValid || others.length > 0)
    throw new ScriptError(
      `on must be "*", a method, or a method and a path without query, such as "GET /pets/*", not ${(JSON.stringify(on) ?? "nothing").slice(0, 60)}`,
    );
  const segments = path?.split("/");
  return (request) =>
    (method === "*" || method === request.method) &&
    (key === undefined || key - 1 === request.key) &&
    (segments === undefined || hasSegments(request.path, segments));
}

function hasSegments(path: string, wanted: readonly string[]): boolean {
  // Behind /v1.
  const segments = path.slice("/v1".length).split("/");
  return (
    segments.length === wanted.length &&
    wanted.every((each, at) => each === segments[at] || (each === "*" && segments[at] !== ""))
  );
}
