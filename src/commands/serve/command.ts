import { files } from "../../core/command-line.ts";
import { defineCommand } from "../command.ts";
import { serveOptions } from "./settings/options.ts";

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
      values: files,
    },
  ],
  options: serveOptions,
  notes: [
    "With `-- command`, the store uses a free port and memory unless you say otherwise, and stops when the command ends. The command finds `pets` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY.",
    "With --lab, local clients that send a valid key can request a fault with the X-Pets-Fault header, and those with the first key reset the store. More: `pets help store`.",
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
    (await import("./run-serve.ts")).runServe(context, command, options),
});
