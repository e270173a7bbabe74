import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { faultKinds, planNames } from "../../../core/enums.ts";
import { asTyped, collected, countWithin, needing, parseFileName } from "../../arguments.ts";
import { parseBan, parseHost, parseOrigin, parseSeed, parseTimeOption } from "./option-values.ts";

/** The options of `pets serve`; tests leave most of them out. */
export interface ServeOptions {
  readonly data?: string;
  readonly memory?: boolean;
  /** How many sample animals, or a file. */
  readonly seed?: number | string;
  readonly port?: number;
  readonly host?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly cors?: readonly string[];
  readonly plan?: readonly string[];
  /** In ms since the epoch. */
  readonly clock?: number;
  /** In ms. */
  readonly ban?: number;
  readonly lab?: boolean;
  readonly latency?: string;
  readonly fault?: string;
  readonly faultSeed?: number;
  readonly script?: string;
  readonly check?: boolean;
  readonly report?: string;
  readonly suite?: boolean;
  readonly scenario?: readonly string[];
  readonly list?: boolean;
  readonly logs?: string;
  readonly profile?: boolean;
  readonly page?: boolean;
  readonly detach?: boolean;
  readonly writeEnv?: string;
  readonly detached?: string;
}

/** Adds the options to `pets serve`. */
export function withServeOptions(command: Command<[string[]]>) {
  const complete = withCheckOptions(withFaultOptions(withStoreOptions(command)))
    .optionsGroup("Options:")
    .option("--no-profile", "save no profile")
    .option("--no-page", "do not serve the page for browsers")
    .option("--detach", "return when the store is ready; stop it with pets store stop")
    .option(
      "--write-env <file>",
      "append PETS_BASE_URL and PETS_API_KEY to this file",
      parseFileName,
    )
    .addOption(
      new Option("--detached <log>", "be the store that --detach starts, with this log").hideHelp(),
    );
  needing(complete, "tlsKey", ["tlsCert"]);
  needing(complete, "tlsCert", ["tlsKey"]);
  return needing(complete, "suite", ["scenario", "list", "logs"]);
}

function withStoreOptions(command: Command<[string[]]>) {
  return command
    .optionsGroup("Data:")
    .option("--data <file>", "file or PostgreSQL URL for data (default: data directory)")
    .addOption(new Option("--memory", "store data in memory; implies --lab").conflicts("data"))
    .option(
      "--seed <n|file>",
      "start with n sample animals, or with those of an NDJSON file",
      parseSeed,
    )
    .optionsGroup("Network:")
    .option(
      "--port <n>",
      "port to listen on; 0 picks a free one (default: 4010, with a command 0)",
      countWithin({ min: 0, max: 65_535 }),
    )
    .option("--host <host>", "address to listen on (default: 127.0.0.1)", parseHost)
    .option(
      "--tls-cert <file>",
      "use TLS with this certificate (PEM, followed by its chain)",
      parseFileName,
    )
    .option("--tls-key <file>", "private key of the certificate (PEM)", parseFileName)
    .option(
      "--cors <origin>",
      "let pages of this origin call the API; repeatable",
      collected(parseOrigin),
    )
    .optionsGroup("Limits:")
    .addOption(
      new Option(
        "--plan <plan>",
        "rate limits of the key, also M/min,D/day or such as 20/2s,100/1h; repeat for more keys (default: free, with a command enterprise)",
      )
        .choices(planNames)
        .argParser(collected(asTyped)),
    )
    .option("--clock <time>", "start the store's clock at this time (ISO 8601)", parseTimeOption)
    .option("--ban <duration>", "how long a ban lasts, such as 5s (default: 10m)", parseBan);
}

function withFaultOptions<Options extends OptionValues>(command: Command<[string[]], Options>) {
  return command
    .optionsGroup("Faults:")
    .option(
      "--lab",
      "allow faults and resets on demand (default: with --memory and with a command)",
    )
    .option("--latency <ms>", "delay responses, such as 100 or 100±50 (also written 100+-50)")
    .option(
      "--fault <kind:p,…>",
      `fail this share of requests, such as 429:0.1,500:0.05; kinds: ${faultKinds.join(", ")}`,
    )
    .option(
      "--fault-seed <n>",
      "seed of the random faults (default: 1)",
      countWithin({ min: 0, max: 2 ** 32 - 1 }),
    )
    .option(
      "--script <file>",
      "make chosen requests fail: NDJSON, one step per line",
      parseFileName,
    );
}

function withCheckOptions<Options extends OptionValues>(command: Command<[string[]], Options>) {
  return command
    .optionsGroup("Checks:")
    .option(
      "--check",
      "report how the clients of the command, or with --detach all clients, behaved; exit 1 for early requests, bans and duplicates",
    )
    .option("--report <file>", "write that report to this file, as JSON", parseFileName)
    .option(
      "--suite",
      "run the command once in each kind of trouble, and judge it; --list lists them",
    )
    .option(
      "--scenario <name>",
      "run only this scenario of the suite; repeatable",
      collected(asTyped),
    )
    .option("--list", "list the scenarios of the suite")
    .option(
      "--logs <directory>",
      "write the command's output in each scenario to a file in this directory",
      parseFileName,
    );
}

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
