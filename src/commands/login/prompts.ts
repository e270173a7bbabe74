import { parseBaseUrl, showBaseUrl } from "../../config/base-url.ts";
import type { Profile } from "../../config/profiles/profiles.ts";
import { parseApiKey } from "../../core/api-key.ts";
import { Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";
import { askUntilValid, isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";

/** More than any key needs. */
const maxInputBytes = 16_384;

/**
 * Returns the base URL to log in at: from an option or the environment, else prompted for on a terminal, where Enter
 * accepts that of the profile called `name`, else that of the profile. Throws a usage Failure that names --base-url.
 */
export async function loginBaseUrl(
  context: Context,
  name: string,
  profile: Profile | undefined,
): Promise<URL> {
  const { baseUrl, allowHttp } = context.settings;
  if (baseUrl !== undefined) return baseUrl;
  const offered = profile?.baseUrl;
  if (isInteractive(context)) {
    const prompt = offered === undefined ? "Base URL: " : `Base URL [${showBaseUrl(offered)}]: `;
    return askUntilValid(context, prompt, false, (answer) =>
      parseBaseUrl(answer.trim() || (offered ?? ""), "the base URL", allowHttp),
    );
  }
  if (offered !== undefined)
    return parseBaseUrl(offered, `the base URL of profile ${name}`, allowHttp);
  throw usageFailure(
    "--base-url is missing, and there is no terminal to prompt for it",
    `For example: \`${context.commandHere("login", "--base-url", "https://store.example/v1")} < key.txt\`.`,
  );
}

/** Returns the key of a login, by a prompt for `what`; never from the environment (`help profiles`). Throws like readKey. */
export function loginKey(context: Context, what: string): Promise<string> {
  const hint = "Pass the key on standard input, or use `--key-command`.";
  return readKey(context, `API key for ${what} (not shown): `, hint);
}

/**
 * Returns a key from standard input, or from a hidden prompt if that is a terminal. Throws a usage Failure, without the
 * key, if it is missing or contains white space; an io Failure if standard input can't be read.
 */
export async function readKey(
  context: Context,
  prompt: string,
  hint = "Pass the key on standard input.",
): Promise<string> {
  if (!context.stdin.isTTY) {
    const text = await readInput(
      context,
      maxInputBytes,
      "standard input is not a key: it is longer than",
    );
    return parseApiKey(text.trim(), "standard input");
  }
  if (!isInteractive(context))
    throw usageFailure("no API key: standard error is not a terminal to prompt on", hint);
  return askUntilValid(context, prompt, true, (answer) =>
    parseApiKey(answer.trim(), "the terminal"),
  );
}

/** Returns the text on standard input. Throws a usage Failure that says it is `longerThan` `maxBytes`, and an io Failure. */
export async function readInput(
  { stdin }: Pick<Context, "stdin">,
  maxBytes: number,
  longerThan: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin) {
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
