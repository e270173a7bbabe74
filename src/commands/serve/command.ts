import type { Context } from "../context.ts";
import type { CommandDefinition } from "../command.ts";
import type { ServeOptions } from "./settings.ts";
import { appendValue } from "../arguments.ts";

export const serve: CommandDefinition = {
  name: "serve",
  summary: "run the store itself on this machine",
  configure(command, action) {
    command
      .usage("[options] [-- command args…]")
      .argument("[command...]", "run this on a store of its own, in memory, and exit as it does")
      .option(
        "--port <n>",
        "listen on this port; 0 takes a free one (default 4010, with a command 0)",
      )
      .option("--host <host>", "listen at this address (default 127.0.0.1)")
      .option("--tls-cert <file>", "speak TLS, with this certificate (PEM, its chain behind it)")
      .option("--tls-key <file>", "the certificate's private key (PEM)")
      .option("--data <place>", "keep all in this file, or in a postgres:// database")
      .option("--memory", "keep the animals in memory")
      .option("--seed <n|file>", "begin with n made-up animals, or with those of an NDJSON file")
      .option(
        "--plan <plan>",
        "free (default), pro, business, enterprise (default with a command) or M/min,D/day; again for more keys",
        appendValue,
      )
      .option("--clock <time>", "begin at this time, in ISO 8601")
      .option(
        "--lab",
        "let the store misbehave on demand, and be reset (implied by --memory and a command)",
      )
      .option("--latency <ms>", "hold replies back, as in 100 or 100±50 (100+-50 too)")
      .option(
        "--fault <kind:p,…>",
        "make this share of requests fail, as in 429:0.1,500:0.05,reset:0.02,truncate:0.02,hang:0.01",
      )
      .option("--fault-seed <n>", "draw faults from this seed (default 1)")
      .action(action(loadAndServe));
  },
};

async function loadAndServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const run = await import("./run.ts");
  return run.runServe(context, words, options);
}
