import { Argument, Command } from "@commander-js/extra-typings";
import { withAbout } from "../../help/about.ts";
import {
  allRequestColumns,
  clockColumns,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { action } from "../action.ts";
import { asTyped, parseFileName } from "../arguments.ts";
import type { Context } from "../context.ts";

/** Loads what talks to a running store. */
const load = () => import("./steer-store.ts");

const state = () =>
  withAbout(
    new Command("state")
      .summary("show animals, requests by status, and bans")
      .action(action(async (context: Context) => (await load()).runState(context))),
    {
      columns: stateColumns,
      examples: [
        "pets store state --profile local",
        "pets store state --profile local --json | jq .pets",
      ],
    },
  );

const requests = () =>
  withAbout(
    new Command("requests")
      .summary("show the last requests to the store")
      .option("--follow", "keep printing requests as they finish")
      .action(
        action(async (context: Context, options: { readonly follow?: boolean }) =>
          (await load()).runRequests(context, options),
        ),
      ),
    {
      columns: allRequestColumns,
      notes:
        "The store remembers its last 1,000 requests below /v1. JSON includes headers and bodies (up to 4 KiB); with --follow, each request is one line.",
      examples: [
        "pets list --profile local && pets store requests --profile local",
        "pets store requests --profile local --json | jq '.[] | select(.early)'",
      ],
    },
  );

const check = () =>
  withAbout(
    new Command("check")
      .summary("report how the clients of the store behaved")
      .option("--report <file>", "write the report to this file, as JSON", parseFileName)
      .action(
        action(async (context: Context, options: { readonly report?: string }) =>
          (await load()).runCheck(context, options),
        ),
      ),
    {
      notes:
        "The report covers all requests since the start or the last reset of a store started with --detach --check. Exits with 1 if a client did not wait for `Retry-After`, got a key banned or added an animal twice, and with 2 if no request reached the store.",
      examples: [
        "pets serve --memory --check --profile ci --detach && pets list --profile ci && pets store check --profile ci && pets store stop --profile ci",
        "pets serve --memory --check --profile ci --detach -q > ready && pets store check --profile ci --json | jq .early && pets store stop --profile ci",
      ],
    },
  );

const stop = () =>
  withAbout(
    new Command("stop")
      .summary("stop a store started with --detach")
      .action(action(async (context: Context) => (await load()).runStop(context))),
    {
      examples: [
        "pets serve --memory --profile ci --detach && pets store stop --profile ci",
        "pets serve --memory --profile ci --detach && pets list --profile ci && pets store stop --profile ci",
      ],
    },
  );

const reset = () =>
  withAbout(
    new Command("reset")
      .summary("reset the store to its seed")
      .action(action(async (context: Context) => (await load()).runReset(context))),
    {
      columns: stateColumns,
      examples: [
        "pets store reset --profile local",
        "pets store reset --profile local --json | jq .pets",
      ],
    },
  );

const faults = () =>
  withAbout(
    new Command("faults")
      .summary("show or set the faults of the store")
      .argument("[spec]", "shares such as 429:0.1,reset:0.02, or off")
      .option("--latency <ms>", "delay responses, such as 100 or 100±50 (also written 100+-50)")
      .action(
        action(
          async (
            context: Context,
            spec: string | undefined,
            options: { readonly latency?: string },
          ) => (await load()).runFaults(context, spec, options),
        ),
      ),
    {
      columns: faultColumns,
      examples: [
        "pets store faults 429:0.1,500:0.05 --profile local",
        "pets store faults off --profile local",
      ],
    },
  );

const script = () =>
  withAbout(
    new Command("script")
      .summary("show or replace the script of the store")
      .argument("[file]", "NDJSON, one step per line (- for standard input), or off", parseFileName)
      .action(
        action(async (context: Context, file: string | undefined) =>
          (await load()).runScript(context, file),
        ),
      ),
    {
      columns: scriptColumns,
      notes: "`pets help store` describes the steps.",
      examples: [
        `echo '{"on":"GET /pets","do":503}' | pets store script - --profile local`,
        "pets store script off --profile local",
      ],
    },
  );

const clock = () =>
  withAbout(
    new Command("clock")
      .summary("show, advance, set or freeze the time of the store")
      .addArgument(
        new Argument("[change]", "+61s, +1d, a time in ISO 8601, freeze or run; never back")
          .choices(["freeze", "run"])
          .argParser(asTyped),
      )
      .action(
        action(async (context: Context, change: string | undefined) =>
          (await load()).runClock(context, change),
        ),
      ),
    {
      columns: clockColumns,
      examples: [
        "pets store clock +61s --profile local",
        "pets store clock freeze --profile local --json | jq .frozen",
      ],
    },
  );

const page = () =>
  withAbout(
    new Command("page")
      .summary("print a link to the page of the store (works once)")
      .action(action(async (context: Context) => (await load()).runPage(context))),
    {
      examples: [
        "pets store page --profile local",
        "pets store page --profile local --json | jq -r .url",
      ],
    },
  );

export const store = () =>
  withAbout(
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
      .addCommand(page()),
    {
      columns: stateColumns,
      notes: `Without a subcommand it prints the state. It talks to the store of the current profile or base URL, on this machine. Reading works on any local store; reset, faults, script and clock need one started with --lab, --memory or a command.

\`pets help store\` is the topic on running a store.`,
      examples: ["pets store --profile local", "pets store page --profile local"],
    },
  );
