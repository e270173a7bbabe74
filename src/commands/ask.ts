import { parseApiKey } from "../core/api-key.ts";
import { Failure, ioFailure, errorMessage, usageFailure } from "../core/errors.ts";
import { blankControls, escapeControls } from "../core/sanitize.ts";
import type { AskOptions } from "../platform/io.ts";
import type { Context } from "./context.ts";

/** More than any key needs. */
const maxKeyBytes = 16_384;

/** Returns whether a user can be prompted, on standard error. */
export function isInteractive(context: Context): boolean {
  return noPrompt(context) === undefined;
}

/** Returns why nobody can be prompted; undefined if somebody can. */
export function noPrompt({ stdin, stderr, env }: Context): string | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return "there is no terminal to prompt on";
  return env.CI ? "nothing is prompted for while CI is set" : undefined;
}

/** Asks until `parse` accepts the answer; prints why it did not, and offers it again if it is shown and can be edited. */
export async function askUntilValid<Value>(
  context: Context,
  prompt: string,
  options: Pick<AskOptions, "hidden" | "keepsPaste">,
  parse: (answer: string) => Value,
): Promise<Value> {
  const { stdin, signal, env } = context;
  const isKept = !options.hidden && env.TERM !== "dumb";
  for (let typed = ""; ;) {
    const answer = await stdin.ask(escapeControls(prompt), { ...options, typed, signal });
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await sayWhy(context, error);
      // A line end would submit it.
      if (isKept) typed = blankControls(answer);
    }
  }
}

/** Says why a question is asked again, with `--quiet` too. */
export async function sayWhy(
  { stderr, secrets }: Context,
  { message, hints }: Failure,
): Promise<void> {
  const texts = [message, ...hints.slice(0, 1)].map((text) => secrets.inMessage(text));
  const lines = texts.map(escapeControls);
  await stderr.write(`${lines.join("\n")}\n`);
}

/** Returns a key from standard input, or a hidden prompt. Throws a usage Failure, without the key, or an io Failure. */
export async function readKey(
  context: Context,
  prompt: string,
  hint = "Pass the key on standard input.",
): Promise<string> {
  const parse = (text: string, from: string): string => {
    const key = parseApiKey(text.trim(), from);
    context.secrets.add(key);
    return key;
  };
  if (!context.stdin.isTTY) {
    const longerThan = "standard input is not a key: it is longer than";
    const text = await readInput(context, maxKeyBytes, longerThan);
    return parse(text, "standard input");
  }
  const problem = noPrompt(context);
  if (problem !== undefined) throw usageFailure(`no API key: ${problem}`, hint);
  return askUntilValid(context, prompt, { hidden: true }, (answer) =>
    parse(answer, "the terminal"),
  );
}

/** Reads standard input; if it is a terminal, says so, and how to end it. */
export async function* readStdin({ stdin, note, program }: Context): AsyncGenerator<Uint8Array> {
  const end = program.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";
  if (stdin.isTTY) await note(`Reading standard input from the terminal; ${end} ends it.`);
  yield* stdin;
}

/** Returns the text on standard input. Throws a usage Failure that says it is `longerThan` `maxBytes`, and an io Failure. */
export async function readInput(
  context: Context,
  maxBytes: number,
  longerThan: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of readStdin(context)) {
      size += chunk.length;
      if (size > maxBytes) throw usageFailure(`${longerThan} ${maxBytes / 1024} KiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`cannot read standard input: ${errorMessage(error)}`, error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
