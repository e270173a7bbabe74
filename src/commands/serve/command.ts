import { needing } from "../arguments.ts";
import type { Context } from "../context.ts";
import { declareServe } from "./options.ts";

/** Returns `pets serve`, with the options that go together. */
export function serve(getContext: () => Context) {
  const command = declareServe();
  const others = command.options.map((option) => option.attributeName());
  const suite = command.options.find(({ long }) => long === "--suite");
  suite?.conflicts(others.filter((name) => !suiteOptions.has(name)));
  needing(command, "tlsKey", ["tlsCert"]);
  needing(command, "tlsCert", ["tlsKey"]);
  needing(command, "suite", ["scenario", "list", "logs"]);
  return command
    .configureHelp({
      examples: [
        "pets serve --seed 24",
        "pets serve --seed animals.ndjson -- ./test.sh",
        "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh",
        "pets serve --check --report report.json -- ./test.sh",
        "pets serve --data postgres://pets@localhost/pets",
        "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
      ],
      notes: `With \`-- command\`, the store uses a free port and memory unless you say otherwise, and stops when the command ends. The command finds \`pets\` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY.

With --lab, local clients that send a valid key can request a fault with the X-Pets-Fault header, and those with an operator's key reset the store. More: \`pets help store\`.`,
    })
    .action(async (words, options) => {
      const context = getContext();
      const { runServe } = await import("./run-serve.ts");
      // `options.profile` is a name if `--profile` is typed, which is as true.
      context.exitCode = await runServe(context, words, options);
    });
}

/** The options that go with `--suite`: each scenario has its own store. */
const suiteOptions = new Set(["suite", "scenario", "list", "logs", "report", "profile", "page"]);
