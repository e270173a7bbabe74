import { Failure } from "../core/errors.ts";
import { escapeControls } from "../core/sanitize.ts";
import { makeSecretMask } from "../core/secret-mask.ts";
import type { Context } from "./context.ts";

/** Returns whether a user can be prompted: prompts are printed on standard error. */
export function isInteractive({ stdin, stderr }: Context): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/** Asks until `parse` accepts the answer, and prints why it did not. With `hidden`, the input is not shown. */
export async function askUntilValid<Value>(
  context: Context,
  prompt: string,
  hidden: boolean,
  parse: (answer: string) => Value,
): Promise<Value> {
  const { stdin, signal } = context;
  for (;;) {
    const answer = await stdin.ask(escapeControls(prompt), { hidden, signal });
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await sayWhy(context, error);
    }
  }
}

/** Says why a question is asked again, with `--quiet` too. */
export async function sayWhy({ stderr }: Context, { message, hints }: Failure): Promise<void> {
  // A key may have been typed at the prompt for something else.
  const mask = makeSecretMask([], { hasStoreKeys: true });
  const lines = [message, ...hints.slice(0, 1)].map((line) => escapeControls(mask(line)));
  await stderr.write(`${lines.join("\n")}\n`);
}
