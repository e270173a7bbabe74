import { Command } from "@commander-js/extra-typings";
import { withAbout } from "../../help/about.ts";
import { action } from "../action.ts";
import type { Context } from "../context.ts";
import { type ServeOptions, withServeOptions } from "./settings/options.ts";

export const serve = () =>
  withAbout(
    withServeOptions(
      new Command("serve")
        .summary("run the store on this machine")
        .usage("[options] [-- command args…]")
        .argument(
          "[command...]",
          "run this command against a temporary store, and exit with its code",
        ),
    ).action(
      action(async (context: Context, command: readonly string[], options: ServeOptions) =>
        (await import("./run-serve.ts")).runServe(context, command, options),
      ),
    ),
    {
      notes: `With \`-- command\`, the store uses a free port and memory unless you say otherwise, and stops when the command ends. The command finds \`pets\` on its PATH, and the store in PETS_BASE_URL and PETS_API_KEY.

With --lab, local clients that send a valid key can request a fault with the X-Pets-Fault header, and those with the first key reset the store. More: \`pets help store\`.`,
      examples: [
        "pets serve --seed 24",
        "pets serve --seed animals.ndjson -- ./test.sh",
        "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh",
        "pets serve --check --report report.json -- ./test.sh",
        "pets serve --data postgres://pets@localhost/pets",
        "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
      ],
    },
  );
