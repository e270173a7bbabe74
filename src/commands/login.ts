import { isDeepStrictEqual } from "node:util";
import { parseBaseUrl } from "../config/base-url.ts";
import { keySourceOf } from "../config/connection.ts";
import { limiterOff, serverOf } from "../config/limiter-server.ts";
import { chooseForLogin, keptOrigin, nameFor } from "../config/profiles/choose.ts";
import { parseProfileName } from "../config/profiles/name.ts";
import {
  findProfile,
  type NamedProfile,
  type ProfileData,
  withCurrent,
  withProfile,
} from "../config/profiles/profiles.ts";
import {
  limiter,
  limiterRequired,
  type SavedSettings,
  settingsWithProfile,
} from "../config/settings.ts";
import { maskKey } from "../core/api-key.ts";
import { Failure, ioFailure, usageFailure } from "../core/errors.ts";
import { hideUserInfo } from "../core/user-info.ts";
import { profileColumns } from "../output/columns.ts";
import { askUntilValid, isInteractive, noPrompt, readKey, sayWhy } from "./ask.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";
import { printChanged } from "./profile/record.ts";

const maxTypedKeys = 3;

type LimiterOptions = Pick<SavedSettings, "limiter" | "limiterRequired">;

interface LoginOptions extends LimiterOptions {
  readonly keyCommand?: string;
  readonly verify: boolean;
}

export const login = (getContext: () => Context) =>
  newCommand("login", "save an API key and base URL as a profile", {
    columns: profileColumns,
    examples: [
      "pets login --base-url https://store.example/v1",
      "pets login --profile staging --base-url https://staging.example/v1 < key.txt",
      'pets login --base-url https://store.example/v1 --key-command "cat key.txt"',
    ],
    notes: `On a terminal it asks for the base URL and, without showing it, for the key; otherwise the key is read from standard input. The key is checked with one request before anything is saved. The profile then becomes the current one.

With --key-command the key stays in a password manager or keyring. The command runs in a shell once per \`pets\` command, only when a request needs the key; the first line that it prints is the key. It may prompt; it times out after 60 s.

Profile: --profile, then PETS_PROFILE, then the current one, otherwise \`default\`. A service elsewhere is not saved to \`local\`, which belongs to \`pets serve\`.

With --limiter the limits of the key are shared by all machines that name the same server: see \`pets help fleet\`.`,
  })
    .option("--key-command <command>", "save a command that prints the key, not the key itself")
    .addOption(limiter.option)
    .addOption(limiterRequired.option)
    .option("--no-verify", "save the key without checking it")
    .action((options) => runLogin(getContext(), options));

async function runLogin(context: Context, options: LoginOptions): Promise<void> {
  const { settings, env } = context;
  const { verify, keyCommand } = options;
  if (keyCommand?.trim() === "") throw usageFailure("--key-command must not be empty");
  const store = await context.profiles();
  const before = await store.read();
  const baseUrl = await loginBaseUrl(context, before);
  const name = await loginProfile(context, before, baseUrl);
  const saved = await limiterToSave(context, options, findProfile(before, name));
  const limiterServer = serverOf(settingsWithProfile(settings, { name, profile: saved }), env);
  const isTyped = keyCommand === undefined;
  const wanted = isTyped ? `that it is a key for ${baseUrl.host}` : "which key the command prints";
  const keyHint = `Check ${wanted}.`;
  const source = !isTyped && keySourceOf({ name, profile: { baseUrl: baseUrl.href, keyCommand } });
  const printed = source && "command" in source && { keyCommand: source };
  const check = async (apiKey: string): Promise<void> => {
    if (!verify) return;
    const connection = { baseUrl, apiKey, keyHint, limiterServer, ...printed };
    await context.service.recheckLimiter(connection);
    const api = await context.service.api({ connection, maxSends: 1 });
    await api.list({ limit: 1 });
  };
  if (!isTyped && verify) await check(await context.runKeyCommand(keyCommand));
  const prompt = `API key for ${baseUrl.host}, profile ${name} (not shown): `;
  const key = isTyped ? { apiKey: await typedKey(context, prompt, check) } : { keyCommand };
  const profile = { ...saved, baseUrl: baseUrl.href, ...key };
  const kept = keptOrigin(before, name, baseUrl);
  const after = await store.update((data) => {
    if (keptOrigin(data, name, baseUrl) !== kept)
      throw ioFailure(`profile ${name} was changed meanwhile`);
    const { madeByServe, ...old } = findProfile(data, name) ?? {};
    const made = madeByServe !== undefined && isDeepStrictEqual(old, profile) && { madeByServe };
    return withCurrent(withProfile(data, name, { ...profile, ...made }), name);
  });
  await noteLogin(context, { name, profile }, verify);
  await printChanged(context, after, name);
}

/** Returns the name of the profile to save to; asks for it, or throws a usage Failure, rather than replace another key. */
async function loginProfile(context: Context, data: ProfileData, baseUrl: URL): Promise<string> {
  const { settings, commandHere } = context;
  const name = chooseForLogin(settings, data, baseUrl);
  const kept = keptOrigin(data, name, baseUrl);
  if (kept === undefined || settings.given.profile?.from === "--profile") return name;
  const other = nameFor(baseUrl, data);
  const isTyped = settings.given.baseUrl?.from === "--base-url";
  const loginTo = (profile: string): string =>
    commandHere("login", "--profile", profile, ...(isTyped ? [] : ["--base-url", baseUrl.href]));
  const has = `profile ${name} has the key for ${kept}`;
  if (!isInteractive(context))
    throw usageFailure(
      `${has}, and a key for ${baseUrl.origin} does not replace it`,
      `Save it as another profile: \`${loginTo(other)}\`.`,
      `To replace that key all the same: \`${loginTo(name)}\`.`,
    );
  const prompt = `P${has.slice(1)}. Profile for ${baseUrl.host} [${other}]: `;
  return askUntilValid(context, prompt, {}, (answer) =>
    parseProfileName(answer.trim() || other, "the profile name"),
  );
}

/** Returns the base URL of an option or variable, else that of a prompt, where Enter means the profile's, else that. */
async function loginBaseUrl(context: Context, data: ProfileData): Promise<URL> {
  const { baseUrl, allowHttp } = context.settings;
  if (baseUrl !== undefined) return baseUrl;
  const name = chooseForLogin(context.settings, data);
  const offered = findProfile(data, name)?.baseUrl;
  const outside = context.env.PETS_BASE_URL?.trim();
  // It is not in the settings if a profile is typed.
  if (outside && offered === undefined) return parseBaseUrl(outside, "PETS_BASE_URL", allowHttp);
  if (isInteractive(context)) {
    const prompt = offered === undefined ? "Base URL: " : `Base URL [${hideUserInfo(offered)}]: `;
    return askUntilValid(context, prompt, {}, (answer) =>
      parseBaseUrl(answer.trim() || (offered ?? ""), "the base URL", allowHttp),
    );
  }
  if (offered !== undefined)
    return parseBaseUrl(offered, `the base URL of profile ${name}`, allowHttp);
  throw usageFailure(
    `--base-url is missing, and ${noPrompt(context)}`,
    `For example: \`${context.commandHere("login", "--base-url", "https://store.example/v1")} < key.txt\`.`,
  );
}

/** Returns what the flags say of the limiter, never the environment, else what the profile had. Throws a usage Failure. */
async function limiterToSave(
  { settings, warn }: Context,
  { limiter: typed, limiterRequired: requires = false }: LimiterOptions,
  saved: SavedSettings = {},
): Promise<LimiterOptions> {
  const url = typed ?? saved.limiter;
  if (typed === limiterOff && requires)
    throw usageFailure("--limiter off and --limiter-required cannot be used together");
  if (url === undefined || url === limiterOff) {
    if (!requires) return {};
    throw usageFailure("--limiter-required needs --limiter");
  }
  if (typed !== undefined && settings.limiter?.password !== undefined)
    await warn(
      "the process list and the shell history show a password in --limiter: set PETS_LIMITER_PASSWORD instead",
    );
  // Another server is required only if this login says so.
  const isRequired = requires || (typed === undefined && saved.limiterRequired);
  return { limiter: url, ...(isRequired && { limiterRequired: true }) };
}

/** Returns the key that is typed; on a terminal, asks up to three times if `check` says that the service rejects it. */
async function typedKey(
  context: Context,
  prompt: string,
  check: (apiKey: string) => Promise<void>,
): Promise<string> {
  const hint = "Pass the key on standard input, or use `--key-command`.";
  for (let tries = 1; ; tries += 1) {
    // Never from the environment (`help profiles`).
    const apiKey = await readKey(context, prompt, hint);
    try {
      await check(apiKey);
      return apiKey;
    } catch (error) {
      const mayRetry = isInteractive(context) && tries < maxTypedKeys;
      if (!mayRetry || !(error instanceof Failure) || error.kind !== "auth") throw error;
      await sayWhy(context, error);
    }
  }
}

async function noteLogin(
  context: Context,
  { name, profile: { baseUrl, apiKey = "", keyCommand } }: NamedProfile,
  verified: boolean,
): Promise<void> {
  const did = verified ? "Logged in" : "Saved without checking the key";
  const key = keyCommand ? ` command ${JSON.stringify(keyCommand)}` : ` ${maskKey(apiKey)}`;
  await context.note(
    `${did}: profile ${name}, base URL ${baseUrl}, key${key}. It is now the current profile.`,
  );
  if (context.env.PETS_API_KEY?.trim())
    await context.note("PETS_API_KEY is set and takes precedence over the current profile.");
}
