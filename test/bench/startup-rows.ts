import path from "node:path";
import type { Measured } from "./cpu.ts";
import { petsCommand as pets } from "./pets-command.ts";
import type { Base, Bound } from "./startup-table.ts";

/** A row to measure. */
export type Wanted = Measured & { readonly bound?: Bound };

/** Environments: with key and base URL, and without them, but with a profile. */
export interface Settings {
  readonly env: Record<string, string>;
  readonly profile: Record<string, string>;
}

const node = process.execPath;
const most = (factor: number, of: Base): { readonly bound: Bound } => ({ bound: { of, factor } });

const here = import.meta.dirname;

/** The two bases, pets with its bounds, its first start, what its optimizations save, and other programs. */
export function startupRows({ env, profile }: Settings): readonly Wanted[] {
  const url = `${env.PETS_BASE_URL}/pets`;
  const header = `Authorization: Bearer ${env.PETS_API_KEY}`;
  const list = [...pets, "list"];
  const request = "plain request";
  const rows: readonly (readonly [string, readonly string[], Partial<Wanted>?])[] = [
    ["bare Node", [node, "-e", "0"]],
    [request, [node, path.join(here, "plain-request.mjs")]],
    ["plain request with fetch", [node, path.join(here, "plain-fetch.mjs")]],
    ["pets --version", [...pets, "--version"], most(1.25, "bare Node")],
    ["pets --help", [...pets, "--help"], most(1.25, "bare Node")],
    ["pets list --json (environment)", [...list, "--json"], most(1, request)],
    ["pets list --json (profile)", [...list, "--json"], { env: profile, ...most(1.05, request) }],
    ["pets list (environment)", list, most(1.2, request)],
    ["pets list --limit 100 (environment)", [...list, "--limit", "100"], most(1.45, request)],
    ["pets completion bash", [...pets, "completion", "bash"]],
    ["pets help exit-codes", [...pets, "help", "exit-codes"]],
    ["first start: pets --version", [...pets, "--version"], { isCold: true }],
    ["first start: pets list --json", [...list, "--json"], { isCold: true }],
    ["curl --version", ["curl", "--version"]],
    ["curl, the request of pets list", ["curl", "--silent", "--header", header, url]],
    ["http --version", ["http", "--version"]],
    [
      "http, the request of pets list",
      ["http", "--ignore-stdin", "GET", url, header.replace(": ", ":")],
    ],
    ["gh --version", ["gh", "--version"]],
  ];
  return [
    ...rows.map(([name, command, more]) => Object.assign({ name, command, env }, more)),
    ...compilationRows(env),
  ];
}

/** `pets list` with flags of V8 that it does not use, each with its own compile cache. */
function compilationRows(env: Record<string, string>): readonly Wanted[] {
  const list = [...pets.slice(1), "list"];
  const cached = (name: string) => ({ ...env, XDG_CACHE_HOME: path.join(env.HOME ?? "", name) });
  const hook = `--require=${path.join(here, "lazy-compilation.cjs")}`;
  const off = { ...env, NODE_DISABLE_COMPILE_CACHE: "1" };
  return [
    { name: "pets list, compiled lazily", command: [node, hook, ...list], env: cached("lazy") },
    {
      name: "pets list, --no-lazy for Node too",
      command: [node, "--no-lazy", ...list],
      env: cached("eager"),
    },
    { name: "pets list, no compile cache", command: [node, ...list], env: off },
  ];
}

const named = (line: string): string => `standalone: pets ${line}`;

/** The standalone executable `file`. */
export function standaloneRows(file: string, { env, profile }: Settings): readonly Wanted[] {
  const rows = ["--version", "--help", "list --json", "list", "completion bash"].map((line) => {
    return { name: named(line), command: [file, ...line.split(" ")], env };
  });
  const list = [file, "list", "--json"];
  return [
    ...rows,
    { name: named("list --json (profile)"), command: list, env: profile },
    {
      name: "standalone, first start: pets --version",
      command: [file, "--version"],
      env,
      isCold: true,
    },
    { name: "standalone, first start: pets list --json", command: list, env, isCold: true },
  ];
}
