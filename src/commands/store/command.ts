import { Argument, Command } from "@commander-js/extra-typings";
import { examples } from "../../help/command-help.ts";
import {
  allRequestColumns,
  clockColumns,
  type Column,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { action, loading } from "../action.ts";
import { asTyped, parseFileName } from "../arguments.ts";

const load = () => import("./steer-store.ts");

/** Returns a subcommand that prints `columns`, or no records. */
const subcommand = (name: string, summary: string, columns?: readonly Column[]) =>
  new Command(name).summary(summary).configureHelp(columns ? { columns } : {});

/** Returns examples of subcommands, each with its arguments, and with what follows `--profile local`. */
const localExamples = (...lines: readonly (readonly [words: string, rest?: string])[]) =>
  examples(...lines.map(([words, rest = ""]) => `pets store ${words} --profile local${rest}`));

const state = () =>
  subcommand("state", "show animals, requests by status, and bans", stateColumns)
    .addHelpText("after", localExamples(["state"], ["state", " --json | jq .pets"]))
    .action(action(loading(load, (module) => module.runState)));

const requests = () =>
  subcommand("requests", "show the last requests to the local store", allRequestColumns)
    .option("--follow", "keep printing requests as they finish")
    .addHelpText(
      "after",
      `
The store remembers its last 1,000 requests below /v1. JSON includes
headers and bodies (up to 4 KiB); with --follow, each request is one
line.`,
    )
    .addHelpText(
      "after",
      examples(
        "pets list --profile local && pets store requests --profile local",
        "pets store requests --profile local --json | jq '.[] | select(.early)'",
      ),
    )
    .action(action(loading(load, (module) => module.runRequests)));

const check = () =>
  subcommand("check", "report how the clients of the local store behaved")
    .option("--report <file>", "write the report to this file, as JSON", parseFileName)
    .addHelpText(
      "after",
      `
The report covers all requests since the start or the last reset of a
store started with --detach --check. Exits with 1 if a client did not
wait for \`Retry-After\`, got a key banned or added an animal twice, and
with 2 if no request reached the store.`,
    )
    .addHelpText(
      "after",
      examples(
        "pets serve --memory --check --profile ci --detach && pets list --profile ci && pets store check --profile ci && pets store stop --profile ci",
        "pets serve --memory --check --profile ci --detach -q > ready && pets store check --profile ci --json | jq .early && pets store stop --profile ci",
      ),
    )
    .action(action(loading(load, (module) => module.runCheck)));

const stop = () =>
  subcommand("stop", "stop a store started with --detach")
    .addHelpText(
      "after",
      examples(
        "pets serve --memory --profile ci --detach && pets store stop --profile ci",
        "pets serve --memory --profile ci --detach && pets list --profile ci && pets store stop --profile ci",
      ),
    )
    .action(action(loading(load, (module) => module.runStop)));

const reset = () =>
  subcommand("reset", "reset the local store to its seed", stateColumns)
    .addHelpText("after", localExamples(["reset"], ["reset", " --json | jq .pets"]))
    .action(action(loading(load, (module) => module.runReset)));

const faults = () =>
  subcommand("faults", "show or set the faults of the local store", faultColumns)
    .argument("[spec]", "shares such as 429:0.1,reset:0.02, or off")
    .option("--latency <ms>", "delay responses, such as 100 or 100±50 (also written 100+-50)")
    .addHelpText("after", localExamples(["faults 429:0.1,500:0.05"], ["faults off"]))
    .action(action(loading(load, (module) => module.runFaults)));

const script = () =>
  subcommand("script", "show or replace the script of the local store", scriptColumns)
    .argument("[file]", "NDJSON, one step per line (- for standard input), or off", parseFileName)
    .addHelpText("after", "\n`pets help store` describes the steps.")
    .addHelpText(
      "after",
      examples(
        `echo '{"on":"GET /pets","do":503}' | pets store script - --profile local`,
        "pets store script off --profile local",
      ),
    )
    .action(action(loading(load, (module) => module.runScript)));

const clock = () =>
  subcommand("clock", "show, advance, set or freeze the time of the local store", clockColumns)
    .addArgument(
      new Argument("[change]", "+61s, +1d, a time in ISO 8601, freeze or run; never back")
        .choices(["freeze", "run"])
        .argParser(asTyped),
    )
    .addHelpText("after", localExamples(["clock +61s"], ["clock freeze", " --json | jq .frozen"]))
    .action(action(loading(load, (module) => module.runClock)));

const page = () =>
  subcommand("page", "print a link to the page of the local store (works once)")
    .addHelpText("after", localExamples(["page"], ["page", " --json | jq -r .url"]))
    .action(action(loading(load, (module) => module.runPage)));

export const store = () =>
  new Command("store")
    .summary("inspect and control a local store that is running")
    .addCommand(state(), { isDefault: true })
    .addCommand(requests())
    .addCommand(check())
    .addCommand(stop())
    .addCommand(reset())
    .addCommand(faults())
    .addCommand(script())
    .addCommand(clock())
    .addCommand(page())
    .configureHelp({ columns: stateColumns })
    .addHelpText(
      "after",
      `
Without a subcommand it prints the state. It talks to the store of the
current profile or base URL, on this machine. Reading works on any
local store; reset, faults, script and clock need one started with
--lab, --memory or a command.

\`pets help store\` is the topic on running a store.`,
    )
    .addHelpText(
      "after",
      examples("pets store --profile local", "pets store page --profile local"),
    );
