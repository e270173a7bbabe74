import { parseBaseUrl, showBaseUrl } from "../../config/base-url.ts";
import type { Profile } from "../../config/profiles/profiles.ts";
import { parseApiKey } from "../../core/api-key.ts";
import { Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";
import { askUntilValid, isInteractive } from "../ask.ts";
import type { Context } from "../context.ts";

/** How much of standard input is read, in bytes: more than any key needs. */
const maxInput = 16_384;

/**
 * Returns the base URL to log in at: from an option or the environment, else prompted for on a terminal,
 * where Enter accepts that of the profile called `name`, else that of the profile. Throws a usage Failure that names
 * --base-url.
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

/**
 * Returns the key: from standard input if that is not a terminal, else from a hidden prompt for `what`; never
 * from the environment (`help profiles`). Throws a usage Failure, without the
 * key, if it is missing or contains white space; an io Failure if standard input can't be read.
 */
export async function loginKey(context: Context, what: string): Promise<string> {
  if (context.stdin.isTTY && !isInteractive(context))
    throw usageFailure(
      "no API key: standard error is not a terminal to prompt on",
      "Pass the key on standard input, or use `--key-command`.",
    );
  return readKey(context, `API key for ${what} (not shown): `);
}

/** Returns a key from standard input, or from a hidden prompt if that is a terminal. Throws like loginKey. */
export async function readKey(context: Context, prompt: string): Promise<string> {
  const { stdin } = context;
  if (stdin.isTTY)
    return askUntilValid(context, prompt, true, (answer) =>
      parseApiKey(answer.trim(), "the terminal"),
    );
  const text = await readText(stdin);
  return parseApiKey(text.trim(), "standard input");
}

async function readText(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of input) {
      size += chunk.length;
      if (size > maxInput)
        throw usageFailure(`standard input is not a key: it is longer than ${maxInput / 1024} KiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`cannot read standard input: ${errorMessage(error)}`, error);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
