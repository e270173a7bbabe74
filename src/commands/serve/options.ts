import { Command, Option } from "@commander-js/extra-typings";
import { maxSeed } from "../../core/api.ts";
import { faultKinds, planNames } from "../../core/enums.ts";
import { isoTime, parseDuration } from "../../core/times.ts";
import { collected, countWithin, fileParser, parserOf, valueParser } from "../arguments.ts";

/** The options of `pets serve` as typed; times are in ms. */
export type ServeOptions = Partial<ReturnType<ReturnType<typeof declareServe>["opts"]>>;

/** Declares `pets serve`: its options are one subject, what it does another. */
export const declareServe = () =>
  declareStore()
    .optionsGroup("Faults:")
    .option(
      "--lab",
      "allow faults and resets on demand (default: with --memory and with a command)",
    )
    .option(
      "--latency <ms>",
      "delay responses, such as 5s, 100 (ms) or 100±50 (also written 100+-50)",
    )
    .option(
      "--fault <kind:p,…>",
      `fail this share of requests, such as 429:0.1,500:0.05; kinds: ${faultKinds.join(", ")}`,
    )
    .option(
      "--fault-seed <n>",
      "seed of the random faults (default: 1)",
      parserOf("--fault-seed", countWithin({ min: 0, max: 2 ** 32 - 1 })),
    )
    .option(
      "--script <file>",
      "fail chosen requests: NDJSON, one step per line",
      fileParser("--script"),
    )
    .optionsGroup("Checks:")
    .option(
      "--check",
      "report how the clients of the command, or with --detach all clients, behaved; exit 1 for early requests, bans and duplicates",
    )
    .option("--report <file>", "write that report to this file, as JSON", fileParser("--report"))
    .option("--suite", "run the command in each scenario, and judge it; --list lists them")
    .option("--scenario <name>", "run only this scenario; repeatable", collected(String))
    .option("--list", "list the scenarios of the suite")
    .option(
      "--logs <directory>",
      "write the command's output in each scenario to a file in this directory",
      fileParser("--logs"),
    )
    .optionsGroup("Options:")
    .option("--no-profile", "save no profile")
    .option("--no-page", "do not serve the page for browsers")
    .option("--detach", "return when the store is ready; stop it with pets store stop")
    .option(
      "--write-env <file>",
      "append PETS_BASE_URL and PETS_API_KEY to this file",
      fileParser("--write-env"),
    )
    .addOption(
      new Option("--detached <log>", "be the store that --detach starts, with this log").hideHelp(),
    );

const declareStore = () =>
  new Command("serve")
    .summary("run a local store")
    .usage("[options] [-- command args…]")
    .argument("[command...]", "run this command against a temporary store, and exit with its code")
    .optionsGroup("Data:")
    .option("--data <file>", "file or PostgreSQL URL for data (default: data directory)")
    .option(
      "--connections <n>",
      "open at most n connections to PostgreSQL (default: 10)",
      parserOf("--connections", countWithin({ min: 1, max: 100 })),
    )
    .addOption(new Option("--memory", "store data in memory; implies --lab").conflicts("data"))
    .option("--seed <n|file>", "start with n sample animals, or those of an NDJSON file", parseSeed)
    .optionsGroup("Network:")
    .option(
      "--port <n>",
      "port to listen on; 0 picks a free one (default: 4010, with a command 0)",
      parserOf("--port", countWithin({ min: 0, max: 65_535 })),
    )
    .option("--host <host>", "address to listen on (default: 127.0.0.1)", parseHost)
    .option(
      "--tls-cert <file>",
      "use TLS with this certificate (PEM with its chain)",
      fileParser("--tls-cert"),
    )
    .option("--tls-key <file>", "private key of the certificate (PEM)", fileParser("--tls-key"))
    .option(
      "--cors <origin>",
      "let pages of this origin (or null) call the API; repeatable",
      collected(parseOrigin),
    )
    .optionsGroup("Limits:")
    .option(
      "--plan <plan>",
      `rate limits of the key: ${planNames.join(", ")}, or such as 60/min,1000/day or 20/2s,100/1h; repeat for more keys (default: free, with a command enterprise)`,
      collected(String),
    )
    .option(
      "--clock <time>",
      "start the store's clock at this time (ISO 8601)",
      parserOf("--clock", isoTime),
    )
    .option("--ban <duration>", "how long a ban lasts, such as 5s (default: 10m)", parseBan);

/** Returns a host as `URL.hostname` has it: IPv6 in brackets. */
const parseHost = valueParser("--host", "a host name or an IP address", (text) => {
  const bare = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = /^[\w.:[\]-]+$/.test(bare) ? URL.parse(`http://${bare}`) : null;
  return url?.port === "" ? url.hostname : undefined;
});

const sampleCount = countWithin({ min: 0, max: maxSeed });

/** A count of sample animals, or a file. */
const parseSeed = parserOf<number | string>("--seed", {
  parse: (text) => (/^[-+]?[0-9]+$/.test(text) ? sampleCount.parse(text) : text),
  allowed: (text) => (text === "" ? "a number or a file" : sampleCount.allowed(text)),
});

const dayMs = 24 * 60 * 60_000;

const parseBan = valueParser("--ban", "a duration from 1s to 1d, such as 5s or 10m", (text) => {
  const ms = parseDuration(text, { hasDays: true });
  return ms !== undefined && ms >= 1_000 && ms <= dayMs ? ms : undefined;
});

/** Returns an origin as browsers send it in `Origin` (RFC 6454, 6.1), also that of a hybrid application, and `null`. */
const parseOrigin = valueParser(
  "--cors",
  "an origin, such as http://localhost:5173, or null",
  (text) => {
    if (text === "null") return text;
    const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@*\\\s]+\/?$/i.test(text) ? URL.parse(text) : null;
    // `URL.origin` knows no schemes of applications. Browsers send none of these.
    if (url === null || /^(?:file|ftp|wss?):$/.test(url.protocol)) return undefined;
    return `${url.protocol}//${url.host}`;
  },
);
