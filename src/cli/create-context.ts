import path from "node:path";
import type { CommandRequest } from "../commands/action.ts";
import type { Context, LimiterTarget, Runtime } from "../commands/context.ts";
import { createProgram } from "../commands/index.ts";
import { print } from "../commands/print.ts";
import { resolveTarget, resolveWithProfile, type ServiceConnection } from "../config/connection.ts";
import { serverOf } from "../config/limiter-server.ts";
import type { ProfileData } from "../config/profiles/profiles.ts";
import { defaultSettings, resolveSettings, type Settings } from "../config/settings.ts";
import { escapeControls } from "../core/sanitize.ts";
import { shellCommand } from "../core/shell-quote.ts";
import { hasJsonErrors } from "../output/formats/index.ts";
import { coordinateTerminal } from "../output/status-line.ts";
import { claimOncePerDay } from "../platform/once-a-day.ts";
import { programFolders } from "../platform/paths.ts";
import type { Limiter } from "../rate-limiter/types.ts";
import { createClient, createLocalStore, createRateLimiter } from "./create-client.ts";

/** Returns the context of a command that was typed. Throws a usage Failure for a setting that is wrong. */
export function createContext(
  given: Runtime,
  { command, skipsSettings }: Omit<CommandRequest, "run">,
): Context {
  const runtime = { ...given, ...coordinateTerminal(given) };
  const { env, clock, random, signal, program } = runtime;
  const { platform } = program;
  const settings = skipsSettings
    ? defaultSettings(hasJsonErrors(command.optsWithGlobals()) ? "json" : "table")
    : resolveSettings(command, env);
  const printed = new Set<string>();
  const note = async (text: string): Promise<void> => {
    if (!settings.quiet) await runtime.stderr.write(`${escapeControls(text)}\n`);
  };
  const warn = async (text: string): Promise<void> => {
    if (printed.has(text)) return;
    printed.add(text);
    await note(`warning: ${text}`);
  };
  const folders = programFolders(env, platform);
  const notices = path.join(folders.state, "notices");
  const isSilent = settings.quiet || !["", "0"].includes(env.PETS_NO_DEPRECATION ?? "");
  const noted = new Set<string>();
  let connection: Promise<ServiceConnection> | undefined;
  let data: Promise<ProfileData> | undefined;
  // Key, base URL and limiter come from the same read.
  const readProfiles = (): Promise<ProfileData> =>
    (data ??= context.profiles().then((store) => store.read()));
  const context: Context = {
    ...runtime,
    ...sharedLimiters((target) => createRateLimiter(context, target)),
    settings,
    commandLine: () => createProgram(program.version),
    commandHere: (...words) => shellCommand(["pets", ...words, ...targetFlags(settings)], platform),
    folders,
    note,
    warn,
    noteDeprecation: async (text, every = "day") => {
      if (isSilent || noted.has(every)) return;
      noted.add(every);
      if (every === "run" || claimOncePerDay(notices, text, clock.now())) await note(text);
    },
    profiles: async () => {
      const { openProfileStore } = await import("../config/profiles/store.ts");
      return openProfileStore({ folder: folders.config, clock, random, signal, platform, warn });
    },
    connectionTarget: () => resolveTarget(settings, readProfiles),
    settingsWithProfile: () => resolveWithProfile(settings, readProfiles),
    runKeyCommand: async (keyCommand) => {
      const { runKeyCommand } = await import("../platform/key-command.ts");
      const { kill, stdin } = context;
      return runKeyCommand(keyCommand, { platform, kill, signal, stdinIsTTY: stdin.isTTY });
    },
    connection: () => (connection ??= openConnection(context)),
    limiterServer: async () => serverOf(await context.settingsWithProfile(), env),
    localStore: async () => createLocalStore(context, await context.connection()),
    api: async (target, overrides) =>
      createClient(context, target ?? (await context.connection()), overrides),
    print: (records, columns) => print(context, records, columns),
  };
  return context;
}

/** Returns the flags that were typed to name the service, to repeat them in another command. */
function targetFlags({ given, profile, baseUrl, allowHttp }: Settings): readonly string[] {
  return [
    ...(given.profile?.from === "--profile" ? ["--profile", String(profile)] : []),
    ...(given.baseUrl?.from === "--base-url" ? ["--base-url", String(baseUrl)] : []),
    ...(allowHttp ? ["--allow-http"] : []),
  ];
}

async function openConnection(context: Context): Promise<ServiceConnection> {
  const { key, ...place } = await context.connectionTarget();
  if ("value" in key) return { ...place, apiKey: key.value };
  return { ...place, apiKey: await context.runKeyCommand(key.command), fromCommand: true };
}

/** Returns one limiter per key and origin, so that requests share it even if its log can't be written. */
function sharedLimiters(
  create: (target: LimiterTarget) => Promise<Limiter>,
): Pick<Context, "limiter" | "close"> {
  const limiters = new Map<string, Promise<Limiter>>();
  return {
    limiter: (target) => {
      const id = `${target.baseUrl.origin} ${target.apiKey}`;
      const limiter = limiters.get(id) ?? create(target);
      limiters.set(id, limiter);
      return limiter;
    },
    close: async () => {
      for (const limiter of limiters.values()) {
        // If it could not be opened, its command has already failed.
        const opened = await limiter.catch(() => undefined);
        await opened?.close();
      }
    },
  };
}
