import { files, oneOf } from "../../completion/values.ts";
import { faultKinds, planNames } from "../../core/enums.ts";
import type { CommandDefinition } from "../command.ts";
import type { Context } from "../context.ts";
import type { ServeOptions } from "./settings.ts";

/** What a store prints in the examples when it is ready. */
const ready = /^The store is ready at https?:\/\//;

export const serve: CommandDefinition = {
  name: "serve",
  summary: "run the store itself on this machine",
  usage: "[options] [-- command args…]",
  arguments: [
    {
      syntax: "[command...]",
      description: "run this on a store of its own, in memory, and exit as it does",
      values: { kind: "command" },
    },
  ],
  options: [
    {
      flags: "--port <n>",
      description: "listen on this port; 0 takes a free one (default 4010, with a command 0)",
    },
    { flags: "--host <host>", description: "listen at this address (default 127.0.0.1)" },
    {
      flags: "--tls-cert <file>",
      description: "speak TLS, with this certificate (PEM, its chain behind it)",
      values: files,
    },
    {
      flags: "--tls-key <file>",
      description: "the certificate's private key (PEM)",
      values: files,
    },
    {
      flags: "--data <place>",
      description: "keep all in this file, or in a postgres:// database",
      values: files,
    },
    { flags: "--memory", description: "keep the animals in memory" },
    {
      flags: "--seed <n|file>",
      description: "begin with n made-up animals, or with those of an NDJSON file",
      values: files,
    },
    {
      flags: "--plan <plan>",
      description:
        "free (default), pro, business, enterprise (default with a command) or M/min,D/day; again for more keys",
      values: oneOf("plans", planNames),
      collects: true,
      repeats: true,
    },
    { flags: "--clock <time>", description: "begin at this time, in ISO 8601" },
    {
      flags: "--lab",
      description:
        "let the store misbehave on demand, and be reset (implied by --memory and a command)",
    },
    {
      flags: "--latency <ms>",
      description: "hold replies back, as in 100 or 100±50 (100+-50 too)",
    },
    {
      flags: "--fault <kind:p,…>",
      description:
        "make this share of requests fail, as in 429:0.1,500:0.05,reset:0.02,truncate:0.02,hang:0.01",
      values: { kind: "list", name: "faults", words: faultKinds, end: ":" },
    },
    { flags: "--fault-seed <n>", description: "draw faults from this seed (default 1)" },
  ],
  notes: [
    "With `-- command` the store takes a free port, keeps all in memory unless told otherwise, and stops when the command ends. The command finds `pets` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY; its exit code is that of `pets serve`.",
    "A lab also does what clients on this machine ask for, with a valid key: by the header X-Pets-Fault (429, 500, reset, truncate, hang or delay=MS) on a request, GET /_store/state, POST /_store/faults and POST /_store/reset. A reset leaves nothing but the animals of --seed, in a data file too.",
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
  run: loadAndServe,
};

async function loadAndServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const run = await import("./run.ts");
  return run.runServe(context, words, options);
}
