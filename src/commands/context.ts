import path from "node:path";
import type { HelpConfiguration } from "@commander-js/extra-typings";
import { profileFile, storedSecrets } from "../config/profiles/profile-file.ts";
import {
  environmentSecrets,
  resolveSettings,
  type Settings,
  type TypedOptions,
  usesProfile,
} from "../config/settings.ts";
import { escapeControls } from "../core/sanitize.ts";
import { shellCommand } from "../core/shell-quote.ts";
import type { Column } from "../output/columns.ts";
import { coordinateTerminal } from "../output/status-line.ts";
import { claimOncePerDay } from "../platform/once-a-day.ts";
import { programFolders } from "../platform/paths.ts";
import { print, type PrintOptions } from "./print.ts";
import type { Runtime } from "./runtime.ts";
import { Service, type ServiceContext } from "./service.ts";

/** What a command gets to work with; the heavy parts are made when they are first needed. */
export interface Context extends ServiceContext {
  readonly service: Service;
  /** What the command prints, and `--fields` may name. */
  readonly columns: readonly Column[];
  /** Prints a list of records, or a single one, in the requested format. */
  readonly print: (records: object | readonly object[], options?: PrintOptions) => Promise<void>;
  /** That of a command that ends without a Failure. */
  exitCode: number;
}

/** Returns the context of a command that was typed. Throws a usage Failure for a setting that is wrong. */
export function createContext(
  given: Runtime,
  typed: TypedOptions,
  { columns = [], ignoresEnvironment = false }: HelpConfiguration = {},
): Context {
  const runtime = { ...given, ...coordinateTerminal(given) };
  const { env, clock, random, signal, program, kill, stdin, secrets } = runtime;
  const { platform } = program;
  const settings = resolveSettings({ typed, env: ignoresEnvironment ? {} : env });
  const folders = programFolders(env, platform, runtime.machine.uid);
  learnSecrets(runtime, typed);
  const note = async (text: string): Promise<void> => {
    if (!settings.quiet) await runtime.stderr.write(`${escapeControls(secrets.inMessage(text))}\n`);
  };
  const warned = new Set<string>();
  const warn = async (text: string): Promise<void> => {
    if (warned.has(text)) return;
    warned.add(text);
    await note(`warning: ${text}`);
  };
  const notices = path.join(folders.state, "notices");
  const isSilent = settings.quiet || !["", "0"].includes(env.PETS_NO_DEPRECATION ?? "");
  const noted = new Set<string>();
  const context: ServiceContext = {
    ...runtime,
    settings,
    commandHere: (...words) =>
      shellCommand(["pets", ...words, ...serviceFlags(settings)], platform),
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
      const places = { folder: folders.config, notices: settings.quiet ? undefined : notices };
      return openProfileStore({ ...places, clock, random, signal, platform, warn });
    },
    runKeyCommand: async (keyCommand) => {
      const { runKeyCommand } = await import("../platform/key-command.ts");
      const options = { platform, kill, signal, stdinIsTTY: stdin.isTTY };
      const apiKey = await runKeyCommand(keyCommand, options);
      secrets.add(apiKey);
      return apiKey;
    },
  };
  return {
    ...context,
    service: new Service(context),
    columns,
    print: (records, options) => print(context, records, { columns, ...options }),
    exitCode: 0,
  };
}

/** Adds the secrets of the environment, and for messages those of the profiles, unless none is used. */
export function learnSecrets({ env, secrets, program }: Runtime, typed: TypedOptions): void {
  secrets.add(...environmentSecrets(env));
  const { config } = programFolders(env, program.platform);
  secrets.addLater(() => (usesProfile({ typed, env }) ? storedSecrets(profileFile(config)) : []));
}

/** Returns the flags that were typed to name the service, to repeat them in another command. */
function serviceFlags({ given, profile, baseUrl, allowHttp }: Settings): readonly string[] {
  return [
    ...(given.profile?.from === "--profile" ? ["--profile", String(profile)] : []),
    ...(given.baseUrl?.from === "--base-url" ? ["--base-url", String(baseUrl)] : []),
    ...(allowHttp ? ["--allow-http"] : []),
  ];
}
