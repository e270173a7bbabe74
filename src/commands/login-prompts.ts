import { parseApiKey } from "../core/api-key.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import { profileBaseUrl } from "../config/connection.ts";
import type { NamedProfile } from "../config/profiles/profiles.ts";
import type { Context } from "./context.ts";
import { Failure, ioFailure, errorMessage, usageFailure } from "../core/errors.ts";
import { isInteractive } from "./arguments.ts";

/** How much of standard input is read, in bytes: more than any key has. */
const longestInput = 16_384;

/**
 * Returns the base URL to log in at: from an option or the environment, else that of the profile,
 * else prompted for on a terminal. Throws a usage Failure that names --base-url.
 */
export async function loginBaseUrl(
  context: Context,
  existing: NamedProfile | undefined,
): Promise<URL> {
  const { settings, stdin, signal } = context;
  if (settings.baseUrl !== undefined) return settings.baseUrl.value;
  if (existing !== undefined) return profileBaseUrl(existing, settings.allowHttp);
  if (!isInteractive(context))
    throw usageFailure("--base-url is missing, and there is no terminal to ask for it");
  const answer = await stdin.ask("Base URL: ", { hidden: false, signal });
  return parseBaseUrl(answer, "the base URL", settings.allowHttp);
}

/**
 * Returns the key: from standard input if that is no terminal, else from a hidden prompt; never from the
 * environment (contract.md, Where a setting comes from). Throws a usage Failure, without the key,
 * when there is none or it holds white space; an io Failure when standard input can't be read.
 */
export async function loginKey(context: Context): Promise<string> {
  const { stdin, signal } = context;
  if (!stdin.isTTY) {
    const text = await readText(stdin);
    return parseApiKey(text.trim(), "standard input");
  }
  if (!isInteractive(context))
    throw usageFailure(
      "there is no key: standard error is no terminal to ask for it on",
      "give the key on standard input: `pets login < key.txt`",
    );
  const answer = await stdin.ask("API key (not shown): ", { hidden: true, signal });
  return parseApiKey(answer.trim(), "the terminal");
}

async function readText(input: AsyncIterable<Uint8Array>): Promise<string> {
  try {
    return await decode(input);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ioFailure(`standard input can't be read: ${errorMessage(error)}`, error);
  }
}

async function decode(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > longestInput)
      throw usageFailure(`standard input is no key: it is longer than ${longestInput} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
