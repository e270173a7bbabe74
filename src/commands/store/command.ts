import { Argument, Command } from "@commander-js/extra-typings";
import { examples } from "../../help/command-help.ts";
import {
  allRequestColumns,
  clockColumns,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { action, loading } from "../action.ts";
import { asTyped, parseFileName } from "../arguments.ts";

const load = () => import("./steer-store.ts");

/** Returns examples of a subcommand, the second with what `jq` takes of its JSON. */
const examplesWithJq = (subcommand: string, filter: string) =>
  examples(
    `pets store ${subcommand} --profile local`,
    `pets store ${subcommand} --profile local --json | jq ${filter}`,
  );

const state = () =>
  new Command("state")
    .summary("show animals, requests by status, and bans")
    .configureHelp({ columns: stateColumns })
    .addHelpText("after", examplesWithJq("state", ".pets"))
    .action(action(loading(load, (module) => module.runState)));

const requests = () =>
  new Command("requests")
    .summary("show the last requests to the local store")
    .option("--follow", "keep printing requests as they finish")
    .configureHelp({ columns: allRequestColumns })
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
  new Command("check")
    .summary("report how the clients of the local store behaved")
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
  new Command("stop")
    .summary("stop a store started with --detach")
    .addHelpText(
      "after",
      examples(
        "pets serve --memory --profile ci --detach && pets store stop --profile ci",
        "pets serve --memory --profile ci --detach && pets list --profile ci && pets store stop --profile ci",
      ),
    )
    .action(action(loading(load, (module) => module.runStop)));

const reset = () =>
  new Command("reset")
    .summary("reset the local store to its seed")
    .configureHelp({ columns: stateColumns })
    .addHelpText("after", examplesWithJq("reset", ".pets"))
    .action(action(loading(load, (module) => module.runReset)));

const faults = () =>
  new Command("faults")
    .summary("show or set the faults of the local store")
    .argument("[spec]", "shares such as 429:0.1,reset:0.02, or off")
    .option("--latency <ms>", "delay responses, such as 100 or 100±50 (also written 100+-50)")
    .configureHelp({ columns: faultColumns })
    .addHelpText(
      "after",
      examples(
        "pets store faults 429:0.1,500:0.05 --profile local",
        "pets store faults off --profile local",
      ),
    )
    .action(action(loading(load, (module) => module.runFaults)));

const script = () =>
  new Command("script")
    .summary("show or replace the script of the local store")
    .argument("[file]", "NDJSON, one step per line (- for standard input), or off", parseFileName)
    .configureHelp({ columns: scriptColumns })
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
  new Command("clock")
    .summary("show, advance, set or freeze the time of the local store")
    .addArgument(
      new Argument("[change]", "+61s, +1d, a time in ISO 8601, freeze or run; never back")
        .choices(["freeze", "run"])
        .argParser(asTyped),
    )
    .configureHelp({ columns: clockColumns })
    .addHelpText(
      "after",
      examples(
        "pets store clock +61s --profile local",
        "pets store clock freeze --profile local --json | jq .frozen",
      ),
    )
    .action(action(loading(load, (module) => module.runClock)));

const page = () =>
  new Command("page")
    .summary("print a link to the page of the local store (works once)")
    .addHelpText("after", examplesWithJq("page", "-r .url"))
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
