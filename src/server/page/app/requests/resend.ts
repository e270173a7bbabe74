import { parseExact } from "../../../../core/json/parse.ts";
import { shellCommand } from "../../../../core/shell-quote.ts";
import type { RequestEntry } from "../../../inspect/types.ts";

/** The headers that every client sets itself. */
const ownHeaders = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "origin",
  "referer",
  "transfer-encoding",
  "user-agent",
  "x-pets-page",
]);

/** A body longer than this, in bytes, may have been cut at 4 KiB. */
const shortestCut = 4_000;

/** Returns the `curl` command that sends the request again to `origin`; undefined if its body was cut. */
export function curlCommand(entry: RequestEntry, origin: string): string | undefined {
  const { method, path, requestBody, truncated } = entry;
  if (truncated && new TextEncoder().encode(requestBody).length > shortestCut) return undefined;
  const headers = Object.entries(entry.requestHeaders).filter(
    ([name]) => !ownHeaders.has(name.toLowerCase()) && !/^(?:sec|priority)/i.test(name),
  );
  const words = [
    ...(method === "HEAD" ? ["--head"] : method === "GET" ? [] : ["-X", method]),
    ...headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(requestBody === "" ? [] : ["--data-raw", requestBody]),
    `${origin}${path}`,
  ];
  // The variable must be where the shell expands it: in double quotes.
  return `curl -i -H "Authorization: Bearer $PETS_API_KEY" ${shellCommand(words, "linux")}`;
}

/** Returns the `pets` command that sends the request again; undefined if there is none. */
export function petsCommand({ method, path, requestBody }: RequestEntry): string | undefined {
  const url = new URL(path, "http://localhost");
  const words =
    method === "GET"
      ? readCommand(url)
      : method === "POST" && url.pathname === "/v1/pets"
        ? addCommand(requestBody)
        : undefined;
  return words && shellCommand(["pets", ...words], "linux");
}

function readCommand({ pathname, searchParams }: URL): readonly string[] | undefined {
  const id = /^\/v1\/pets\/(-?\d+)$/.exec(pathname)?.[1];
  if (id !== undefined) return id.startsWith("-") ? ["get", "--", id] : ["get", id];
  if (pathname !== "/v1/pets") return undefined;
  const known = ["status", "limit"] as const;
  if ([...searchParams.keys()].some((name) => !known.some((each) => each === name)))
    return undefined;
  return ["list", ...known.flatMap((name) => flag(name, searchParams.get(name)))];
}

function addCommand(body: string): readonly string[] | undefined {
  const { name, categoryId, status } = Object(readJson(body));
  if (typeof name !== "string" || !/^-?\d+$/.test(String(categoryId))) return undefined;
  if (status !== undefined && typeof status !== "string") return undefined;
  return [
    "add",
    ...flag("name", name),
    ...flag("category", String(categoryId)),
    ...flag("status", status ?? null),
  ];
}

function flag(name: string, value: string | null): readonly string[] {
  if (value === null) return [];
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

function readJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
