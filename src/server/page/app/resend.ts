import { isRecord } from "../../../core/json/parse.ts";
import { newPetFieldList } from "../../../core/pet-fields.ts";
import { shellCommand } from "../../../core/shell-quote.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { type RequestEntry } from "../../request-log/types.ts";
import { readJson } from "./api.ts";

/** The headers that every client sets itself. */
const ownHeaders =
  /^(?:accept(?:-encoding|-language)?|connection|content-length|expect|host|keep-alive|origin|priority|referer|sec-.*|transfer-encoding|user-agent|x-pets-page)$/i;

/** A body longer than this, in bytes, may have been cut at 4 KiB. */
const shortestCut = 4_000;

type Target = Pick<StoreShapes["session"], "baseUrl" | "profile">;

/** Returns a `pets` command for this store and no other, regardless of profiles and variables. */
export function storeCommand(words: readonly string[], { baseUrl, profile }: Target): string {
  const key = profile === null ? [] : ["--profile", profile];
  return shellCommand(["pets", ...words, ...key, "--base-url", baseUrl], "linux");
}

/** Returns the `curl` command that sends the request again; undefined if its body may have been cut. */
export function curlCommand(entry: RequestEntry, { baseUrl }: Target): string | undefined {
  const { method, requestBody: body, truncated } = entry;
  const path = originForm(entry.path);
  const isCut = truncated && new TextEncoder().encode(body).length > shortestCut;
  if (path === undefined || isCut) return undefined;
  const headers = Object.entries(entry.requestHeaders).filter(([name]) => !ownHeaders.test(name));
  const hasUsualMethod = method === "GET" && body === "";
  const words = [
    ...(method === "HEAD" ? ["--head"] : hasUsualMethod ? [] : ["-X", method]),
    // curl removes a header that ends in a colon.
    ...headers.flatMap(([name, value]) => ["-H", value === "" ? `${name};` : `${name}: ${value}`]),
    ...(body === "" ? [] : ["--data-raw", body]),
    `${new URL(baseUrl).origin}${path}`,
  ];
  // Without these, curl reads brackets and braces as many URLs, and removes dots. The variable must be
  // where the shell expands it: in double quotes.
  const start = `curl -i --globoff --path-as-is -H "Authorization: Bearer $PETS_API_KEY"`;
  return `${start} ${shellCommand(words, "linux")}`;
}

/** Returns the path and query of a request target (RFC 9112, 3.2), which may begin with a scheme and host. */
function originForm(target: string): string | undefined {
  const path = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : undefined;
}

/** Returns the `pets` command that sends the request again; undefined if it cannot. */
export function petsCommand(entry: RequestEntry, target: Target): string | undefined {
  const { method, requestBody } = entry;
  const path = originForm(entry.path) ?? "";
  const url = URL.parse(path, "http://localhost");
  if (url === null || path.split("?")[0] !== url.pathname) return undefined;
  const isAdd = method === "POST" && url.pathname === "/v1/pets";
  const words = method === "GET" ? readCommand(url) : isAdd ? addCommand(requestBody) : undefined;
  return words && storeCommand(words, target);
}

function readCommand({ pathname, searchParams }: URL): readonly string[] | undefined {
  const id = /^\/v1\/pets\/(\d+)$/.exec(pathname)?.[1];
  if (id !== undefined) return ["get", id];
  if (pathname !== "/v1/pets") return undefined;
  const { status = [], limit = [], ...others } = Object.groupBy(searchParams, ([name]) => name);
  if (Object.keys(others).length > 0 || status.length > 1 || limit.length > 1) return undefined;
  return ["list", ...[...status, ...limit].flatMap(flag)];
}

function addCommand(body: string): readonly string[] | undefined {
  const pet = readJson(body);
  if (!isRecord(pet)) return undefined;
  const { name, status } = pet;
  const categoryId = String(pet.categoryId);
  // A string is refused, and the command would send a number.
  if (typeof pet.categoryId === "string" || !/^-?\d+$/.test(categoryId)) return undefined;
  if (typeof name !== "string") return undefined;
  if (status !== undefined && typeof status !== "string") return undefined;
  const values = { name, categoryId, status };
  const flags = newPetFieldList.flatMap(({ field, column = field }) =>
    values[field] === undefined ? [] : flag([column, values[field]]),
  );
  return ["add", ...flags];
}

function flag([name, value]: readonly [string, string]): readonly string[] {
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}
