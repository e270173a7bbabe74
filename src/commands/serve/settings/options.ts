import { files, oneOf, type OptionDefinition } from "../../../core/command-line.ts";
import { faultKinds, planNames } from "../../../core/enums.ts";
import { asTyped, countWithin, parseFileName } from "../../arguments.ts";
import type { InputOf } from "../../command.ts";
import { parseBan, parseHost, parseOrigin, parseSeed, parseTimeOption } from "./option-values.ts";

const ports = { min: 0, max: 65_535 };
const faultSeeds = { min: 0, max: 2 ** 32 - 1 };

/** Returns `options` with the heading under which help lists them. */
function inGroup<const Options extends readonly OptionDefinition[]>(
  group: string,
  options: Options,
): readonly (Options[number] & { readonly group: string })[] {
  return options.map((option) => ({ ...option, group }));
}

/** The options of `pets serve`. */
export const serveOptions = [
  ...inGroup("Data", [
    {
      flags: "--data <place>",
      description: "file or PostgreSQL URL for data (default: data directory)",
      values: files,
    },
    { flags: "--memory", description: "store data in memory; implies --lab", excludes: ["--data"] },
    {
      flags: "--seed <n|file>",
      description: "start with n sample animals, or with those of an NDJSON file",
      values: files,
      parse: parseSeed,
    },
  ]),
  ...inGroup("Network", [
    {
      flags: "--port <n>",
      description: "port to listen on; 0 picks a free one (default 4010, with a command 0)",
      parse: countWithin(ports),
    },
    {
      flags: "--host <host>",
      description: "address to listen on (default 127.0.0.1)",
      parse: parseHost,
    },
    {
      flags: "--tls-cert <file>",
      description: "use TLS with this certificate (PEM, followed by its chain)",
      values: files,
      parse: parseFileName,
      needs: "--tls-key",
    },
    {
      flags: "--tls-key <file>",
      description: "private key of the certificate (PEM)",
      values: files,
      parse: parseFileName,
      needs: "--tls-cert",
    },
    {
      flags: "--cors <origin>",
      description: "let pages of this origin call the API; repeatable",
      parse: parseOrigin,
      repeats: true,
    },
  ]),
  ...inGroup("Limits", [
    {
      flags: "--plan <plan>",
      description:
        "rate limits of the key: free, pro, business, enterprise, M/min,D/day or such as 20/2s,100/1h; repeat for more keys (default free, with a command enterprise)",
      values: oneOf(planNames),
      parse: asTyped,
      repeats: true,
    },
    {
      flags: "--clock <time>",
      description: "start the store's clock at this time (ISO 8601)",
      parse: parseTimeOption,
    },
    {
      flags: "--ban <duration>",
      description: "how long a ban lasts, such as 5s (default 10m)",
      parse: parseBan,
    },
  ]),
  ...inGroup("Faults", [
    {
      flags: "--lab",
      description: "allow faults and resets on demand (default with --memory and with a command)",
    },
    {
      flags: "--latency <ms>",
      description: "delay responses, such as 100 or 100±50 (also written 100+-50)",
    },
    {
      flags: "--fault <kind:p,…>",
      description:
        "fail this share of requests, such as 429:0.1,500:0.05,reset:0.02,truncate:0.02,hang:0.01",
      values: { kind: "list", words: faultKinds, end: ":" },
    },
    {
      flags: "--fault-seed <n>",
      description: "seed of the random faults (default 1)",
      parse: countWithin(faultSeeds),
    },
    {
      flags: "--script <file>",
      description: "make chosen requests fail: NDJSON, one step per line",
      values: files,
      parse: parseFileName,
    },
  ]),
  ...inGroup("Checks", [
    {
      flags: "--check",
      description:
        "report how the clients of the command, or with --detach all clients, behaved; exit 1 for early requests, bans and duplicates",
    },
    {
      flags: "--report <file>",
      description: "write that report to this file, as JSON",
      values: files,
      parse: parseFileName,
    },
    {
      flags: "--suite",
      description: "run the command once in each kind of trouble, and judge it; --list lists them",
    },
    {
      flags: "--scenario <name>",
      description: "run only this scenario of the suite; repeatable",
      repeats: true,
      needs: "--suite",
    },
    { flags: "--list", description: "list the scenarios of the suite", needs: "--suite" },
    {
      flags: "--logs <directory>",
      description: "write the command's output in each scenario to a file in this directory",
      values: files,
      parse: parseFileName,
      needs: "--suite",
    },
  ]),
  { flags: "--no-profile", description: "save no profile" },
  { flags: "--no-page", description: "do not serve the page for browsers" },
  {
    flags: "--detach",
    description: "return when the store is ready; stop it with pets store stop",
  },
  {
    flags: "--write-env <file>",
    description: "append PETS_BASE_URL and PETS_API_KEY to this file",
    values: files,
    parse: parseFileName,
  },
  {
    flags: "--detached <log>",
    description: "be the store that --detach starts, with this log",
    hidden: true,
  },
] as const satisfies readonly OptionDefinition[];

/** What was typed for them; tests leave most of it out. */
export type ServeOptions = Partial<InputOf<typeof serveOptions>>;

/** Returns the first option that was typed and that `isMeant`, as it is typed; undefined if there is none. */
export function firstTyped(
  options: ServeOptions,
  isMeant: (name: string) => boolean,
): string | undefined {
  const found = Object.entries(options).find(([name, value]) => isMeant(name) && isTyped(value));
  return found && `--${found[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function isTyped(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
