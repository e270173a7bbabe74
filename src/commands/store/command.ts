import {
  allRequestColumns,
  clockColumns,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { fileParser } from "../arguments.ts";
import type { Context } from "../context.ts";
import { newCommand } from "../new-command.ts";

const load = () => import("./steer-store.ts");

/** Returns examples of subcommands, each with its arguments, and with what follows `--profile local`. */
const localExamples = (...lines: readonly (readonly [words: string, rest?: string])[]) =>
  lines.map(([words, rest = ""]) => `pets store ${words} --profile local${rest}`);

const state = (getContext: () => Context) =>
  newCommand("state", "show animals, requests by status, and bans", {
    columns: stateColumns,
    examples: localExamples(["state"], ["state", " --json | jq .pets"]),
  }).action(async () => (await load()).runState(getContext()));

const requests = (getContext: () => Context) =>
  newCommand("requests", "show the last requests to the local store", {
    columns: allRequestColumns,
    examples: [
      "pets list --profile local && pets store requests --profile local",
      "pets store requests --profile local --json | jq '.[] | select(.early)'",
    ],
    notes:
      "The store remembers its last 1,000 requests below /v1. JSON includes headers and bodies (up to 4 KiB); with --follow, each request is one line.",
  })
    .option("--follow", "keep printing requests as they finish")
    .action(async ({ follow = false }) => (await load()).runRequests(getContext(), follow));

const check = (getContext: () => Context) =>
  newCommand("check", "report how the clients of the local store behaved", {
    examples: [
      "pets serve --memory --check --profile ci --detach && pets list --profile ci && pets store check --profile ci && pets store stop --profile ci",
      "pets serve --memory --check --profile ci --detach -q > ready && pets store check --profile ci --json | jq .early && pets store stop --profile ci",
    ],
    notes: `The report covers all requests since the start or the last reset of a store started with --detach --check. Exits with 1 if a client did not wait for \`Retry-After\`, got a key banned or added an animal twice, and with 2 if no request was below /v1.`,
  })
    .option("--report <file>", "write the report to this file, as JSON", fileParser("--report"))
    .action(async ({ report }) => {
      const context = getContext();
      context.exitCode = await (await load()).runCheck(context, report);
    });

const stop = (getContext: () => Context) =>
  newCommand("stop", "stop a store started with --detach", {
    examples: [
      "pets serve --memory --profile ci --detach && pets store stop --profile ci",
      "pets serve --memory --profile ci --detach && pets list --profile ci && pets store stop --profile ci",
    ],
  }).action(async () => (await load()).runStop(getContext()));

const reset = (getContext: () => Context) =>
  newCommand("reset", "reset the local store to its seed", {
    columns: stateColumns,
    examples: localExamples(["reset"], ["reset", " --json | jq .pets"]),
  }).action(async () => (await load()).runReset(getContext()));

const faults = (getContext: () => Context) =>
  newCommand("faults", "show or set the faults of the local store", {
    columns: faultColumns,
    examples: localExamples(["faults 429:0.1,500:0.05"], ["faults off"]),
  })
    .argument("[spec]", "shares such as 429:0.1,reset:0.02, or off")
    .option(
      "--latency <ms>",
      "delay responses, such as 5s, 100 (ms) or 100±50 (also written 100+-50)",
    )
    .action(async (spec, { latency }) => (await load()).runFaults(getContext(), spec, latency));

const script = (getContext: () => Context) =>
  newCommand("script", "show or replace the script of the local store", {
    columns: scriptColumns,
    examples: [
      `echo '{"on":"GET /pets","do":503}' | pets store script - --profile local`,
      "pets store script off --profile local",
    ],
    notes: "`pets help store` describes the steps.",
  })
    .argument(
      "[file]",
      "NDJSON, one step per line (- for standard input), or off",
      fileParser("the file"),
    )
    .action(async (file) => (await load()).runScript(getContext(), file));

const clock = (getContext: () => Context) =>
  newCommand("clock", "show, advance, set or freeze the time of the local store", {
    columns: clockColumns,
    examples: localExamples(["clock +61s"], ["clock freeze", " --json | jq .frozen"]),
  })
    .argument("[change]", "+61s, +1d, a time in ISO 8601, freeze or run; never back")
    .action(async (change) => (await load()).runClock(getContext(), change));

const page = (getContext: () => Context) =>
  newCommand("page", "print a link to the page of the local store (works once)", {
    examples: localExamples(["page"], ["page", " --json | jq -r .url"]),
  }).action(async () => (await load()).runPage(getContext()));

export const store = (getContext: () => Context) =>
  newCommand("store", "inspect and control a local store that is running", {
    columns: stateColumns,
    examples: ["pets store --profile local", "pets store page --profile local"],
    notes: `Without a subcommand it prints the state. It talks to the store of the current profile or base URL, on this machine. Reading works on any local store; reset, faults, script and clock need one started with --lab, --memory or a command.

\`pets help store\` is the topic on running a store.`,
  })
    .addCommand(state(getContext), { isDefault: true })
    .addCommand(requests(getContext))
    .addCommand(check(getContext))
    .addCommand(stop(getContext))
    .addCommand(reset(getContext))
    .addCommand(faults(getContext))
    .addCommand(script(getContext))
    .addCommand(clock(getContext))
    .addCommand(page(getContext));
