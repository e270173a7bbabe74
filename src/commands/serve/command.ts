import { asTyped } from "../arguments.ts";
import { files, oneOf } from "../../completion/values.ts";
import { faultKinds, planNames } from "../../core/enums.ts";
import { defineCommand } from "../command.ts";

/** What a store prints in the examples when it is ready. */
const ready = /^The store is ready at https?:\/\//;

export const serve = defineCommand({
  name: "serve",
  summary: "run the store on this machine",
  usage: "[options] [-- command args…]",
  arguments: [
    {
      syntax: "[command...]",
      description: "run this command against a temporary store, and exit with its code",
      values: { kind: "command" },
    },
  ],
  options: [
    {
      flags: "--port <n>",
      description: "port to listen on; 0 picks a free one (default 4010, with a command 0)",
    },
    { flags: "--host <host>", description: "address to listen on (default 127.0.0.1)" },
    {
      flags: "--tls-cert <file>",
      description: "use TLS with this certificate (PEM, followed by its chain)",
      values: files,
    },
    {
      flags: "--tls-key <file>",
      description: "private key of the certificate (PEM)",
      values: files,
    },
    {
      flags: "--data <place>",
      description: "store data in this file or PostgreSQL database",
      values: files,
    },
    { flags: "--memory", description: "store data in memory; implies --lab" },
    {
      flags: "--seed <n|file>",
      description: "start with n made-up animals, or with those of an NDJSON file",
      values: files,
    },
    {
      flags: "--plan <plan>",
      description:
        "rate limits of the key: free, pro, business, enterprise or M/min,D/day; repeat for more keys (default free, with a command enterprise)",
      values: oneOf(planNames),
      parse: asTyped,
      repeats: true,
    },
    { flags: "--clock <time>", description: "start the store's clock at this time (ISO 8601)" },
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
    { flags: "--fault-seed <n>", description: "seed of the random faults (default 1)" },
    { flags: "--no-page", description: "do not serve the page for browsers" },
    {
      flags: "--check",
      description:
        "report how the command's clients behaved; exit 1 for early requests, bans and duplicates",
    },
    {
      flags: "--report <file>",
      description: "write that report to this file, as JSON",
      values: files,
    },
  ],
  notes: [
    "With `-- command`, the store uses a free port and memory unless you say otherwise, and stops when the command ends. The command finds `pets` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY.",
    "With --lab, local clients that send a valid key can request a fault with the X-Pets-Fault header, and inspect or reset the store. More: `pets help store`.",
  ],
  examples: [
    { line: "pets serve --seed 24", stdout: ready, tried: /^ID .*\n(?:\d+ .*\n){20}$/ },
    {
      line: "pets serve --seed animals.ndjson -- ./test.sh",
      files: { "seen.json": /^\[(?:\{[^{}]*\},?){12}\]\n$/ },
    },
    {
      line: "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh",
      files: { "seen.json": /^\[\]\n$/ },
    },
    {
      line: "pets serve --check --report report.json -- ./test.sh",
      files: {
        "report.json":
          /^\{"requests":\{"200":1\},"early":0,"bans":0,"duplicates":\[\],"abandoned":0\}\n$/,
      },
    },
    {
      line: "pets serve --data postgres://pets@localhost/pets",
      stdout: ready,
      tried: /^$/,
    },
    {
      line: "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
      stdout: ready,
      tried: /^$/,
    },
  ],
  run: async (context, { command, ...options }) =>
    (await import("./run.ts")).runServe(context, command, options),
});
