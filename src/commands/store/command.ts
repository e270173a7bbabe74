import { files, oneOf } from "../../core/command-line.ts";
import {
  allRequestColumns,
  clockColumns,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { asTyped, parseFileName } from "../arguments.ts";
import { defineCommand } from "../command.ts";

/** A link to the page. */
const link = /^https:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\n$/;

const requests = defineCommand({
  name: "requests",
  summary: "show the last requests to the store",
  options: [{ flags: "--follow", description: "keep printing requests as they finish" }],
  columns: allRequestColumns,
  notes: [
    "The store remembers its last 1,000 requests below /v1. JSON includes headers and bodies (up to 4 KiB); with --follow, each request is one line.",
  ],
  examples: [
    {
      line: "pets list --profile local && pets store requests --profile local",
      stdout: /^ID [^]*\nTIME .*\n.* 200 .* \/v1\/pets\n$/,
    },
    {
      line: "pets store requests --profile local --json | jq '.[] | select(.early)'",
      stdout: /^$/,
    },
  ],
  run: async (context, options) => (await load()).runRequests(context, options),
});

const state = defineCommand({
  name: "state",
  summary: "show animals, requests by status, and bans",
  isDefault: true,
  columns: stateColumns,
  examples: [
    { line: "pets store state --profile local", stdout: /^PETS +REQUESTS .*\n12 / },
    { line: "pets store state --profile local --json | jq .pets", stdout: /^12\n$/ },
  ],
  run: async (context) => (await load()).runState(context),
});

const reset = defineCommand({
  name: "reset",
  summary: "reset the store to its seed",
  columns: stateColumns,
  examples: [
    { line: "pets store reset --profile local", stdout: /^PETS .*\n12 / },
    {
      line: "pets store reset --profile local --json | jq .pets",
      stdout: /^12\n$/,
    },
  ],
  run: async (context) => (await load()).runReset(context),
});

const faults = defineCommand({
  name: "faults",
  summary: "show or set the faults of the store",
  arguments: [
    {
      syntax: "[spec]",
      description: "shares such as 429:0.1,reset:0.02, or off",
    },
  ],
  options: [
    {
      flags: "--latency <ms>",
      description: "delay responses, such as 100 or 100±50 (also written 100+-50)",
    },
  ],
  columns: faultColumns,
  examples: [
    {
      line: "pets store faults 429:0.1,500:0.05 --profile local",
      stdout: /429:0\.1,500:0\.05/,
      afterwards: { "pets store faults off --profile local": /^FAULT +LATENCY\n +0\n$/ },
    },
    { line: "pets store faults off --profile local", stdout: /^FAULT/ },
  ],
  run: async (context, { spec, ...options }) => (await load()).runFaults(context, spec, options),
});

const page = defineCommand({
  name: "page",
  summary: "print a link to the page of the store (works once)",
  examples: [
    { line: "pets store page --profile local", stdout: link },
    { line: "pets store page --profile local --json | jq -r .url", stdout: link },
  ],
  run: async (context) => (await load()).runPage(context),
});

const clock = defineCommand({
  name: "clock",
  summary: "show, advance, set or freeze the time of the store",
  arguments: [
    {
      syntax: "[change]",
      description: "+61s, +1d, a time in ISO 8601, freeze or run; never back",
      values: oneOf(["freeze", "run"]),
      parse: asTyped,
    },
  ],
  columns: clockColumns,
  examples: [
    { line: "pets store clock +61s --profile local", stdout: /^NOW +FROZEN\n.*Z +false\n$/ },
    {
      line: "pets store clock freeze --profile local --json | jq .frozen",
      stdout: /^true\n$/,
      afterwards: { "pets store clock run --profile local": /false\n$/ },
    },
  ],
  run: async (context, { change }) => (await load()).runClock(context, change),
});

const script = defineCommand({
  name: "script",
  summary: "show or replace the script of the store",
  arguments: [
    {
      syntax: "[file]",
      description: "NDJSON, one step per line (- for standard input), or off",
      values: files,
      parse: parseFileName,
    },
  ],
  columns: scriptColumns,
  notes: ["`pets help store` describes the steps."],
  examples: [
    {
      line: `echo '{"on":"GET /pets","do":503}' | pets store script - --profile local`,
      stdout: /^STEP +ON +DO +TIMES +TAKEN\n1 +GET \/pets +503 +1 +0\n$/,
      afterwards: { "pets store script off --profile local --json": /^\{"steps":\[\]\}\n$/ },
    },
    { line: "pets store script off --profile local", stderr: /^The script has no steps\.\n$/ },
  ],
  run: async (context, { file }) => (await load()).runScript(context, file),
});

/** Starts a store in the background, for an example of what is done with it. */
const detached = "pets serve --memory --check --profile ci --detach";

const check = defineCommand({
  name: "check",
  summary: "report how the clients of the store behaved",
  options: [
    {
      flags: "--report <file>",
      description: "write the report to this file, as JSON",
      values: files,
      parse: parseFileName,
    },
  ],
  notes: [
    "The report covers all requests since the start or the last reset of a store started with --detach --check. Exits with 1 if a client did not wait for `Retry-After`, got a key banned or added an animal twice, and with 2 if no request reached the store.",
  ],
  examples: [
    {
      line: `${detached} && pets list --profile ci && pets store check --profile ci && pets store stop --profile ci`,
      stdout: /\nCheck passed\n$/,
    },
    {
      line: `${detached} -q > ready && pets store check --profile ci --json | jq .early && pets store stop --profile ci`,
      stdout: /^0\n$/,
    },
  ],
  run: async (context, options) => (await load()).runCheck(context, options),
});

const stop = defineCommand({
  name: "stop",
  summary: "stop a store started with --detach",
  examples: [
    {
      line: "pets serve --memory --profile ci --detach && pets store stop --profile ci",
      stderr: /\nStopped the store at \S+\.\n$/,
    },
    {
      line: "pets serve --memory --profile ci --detach && pets list --profile ci && pets store stop --profile ci",
      stdout: /Page .*\n$/,
    },
  ],
  run: async (context) => (await load()).runStop(context),
});

export const store = defineCommand({
  name: "store",
  summary: "inspect and control a local store that is running",
  columns: stateColumns,
  subcommands: [state, requests, check, stop, reset, faults, script, clock, page],
  notes: [
    "Without a subcommand it prints the state. It talks to the store of the current profile or base URL, on this machine. Reading works on any local store; reset, faults, script and clock need one started with --lab, --memory or a command.",
    "`pets help store` is the topic on running a store.",
  ],
  examples: [
    { line: "pets store --profile local", stdout: /^PETS .*\n12 / },
    { line: "pets store page --profile local", stdout: link },
  ],
});

function load() {
  return import("./steer-store.ts");
}
