import path from "node:path";
import type { Context, Runtime } from "../commands/context.ts";
import { createProgram } from "../commands/index.ts";
import { print } from "../commands/print.ts";
import { resolveSettings, type Settings, type TypedOptions } from "../config/settings.ts";
import { escapeControls } from "../core/sanitize.ts";
import { shellCommand } from "../core/shell-quote.ts";
import { coordinateTerminal } from "../output/status-line.ts";
import { claimOncePerDay } from "../platform/once-a-day.ts";
import { programFolders } from "../platform/paths.ts";
import { createService, type ServiceContext } from "./create-service.ts";
import { createRedactor } from "./redact.ts";

/** Returns the context of a command that was typed. Throws a usage Failure for a setting that is wrong. */
export function createContext(
  given: Runtime,
  typed: TypedOptions,
  { ignoresEnvironment = false } = {},
): Context {
  const runtime = { ...given, ...coordinateTerminal(given) };
  const { env, clock, random, signal, program } = runtime;
  const { platform } = program;
  const settings = resolveSettings({ typed, env: ignoresEnvironment ? {} : env });
  const redact = createRedactor(given, typed);
  const printed = new Set<string>();
  const note = async (text: string): Promise<void> => {
    if (!settings.quiet) await runtime.stderr.write(`${escapeControls(redact(text))}\n`);
  };
  const warn = async (text: string): Promise<void> => {
    if (printed.has(text)) return;
    printed.add(text);
    await note(`warning: ${text}`);
  };
  const folders = programFolders(env, platform, runtime.machine.uid);
  const notices = path.join(folders.state, "notices");
  const isSilent = settings.quiet || !["", "0"].includes(env.PETS_NO_DEPRECATION ?? "");
  const noted = new Set<string>();
  const context: ServiceContext = {
    ...runtime,
    settings,
    buildProgram: () => createProgram(),
    commandHere: (...words) =>
      shellCommand(["pets", ...words, ...serviceFlags(settings)], platform),
    folders,
    redact,
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
      const { kill, stdin } = context;
      return runKeyCommand(keyCommand, { platform, kill, signal, stdinIsTTY: stdin.isTTY });
    },
    print: (records, columns) => print(context, records, columns),
  };
  return { ...context, service: createService(context) };
}

/** Returns the flags that were typed to name the service, to repeat them in another command. */
function serviceFlags({ given, profile, baseUrl, allowHttp }: Settings): readonly string[] {
  return [
    ...(given.profile?.from === "--profile" ? ["--profile", String(profile)] : []),
    ...(given.baseUrl?.from === "--base-url" ? ["--base-url", String(baseUrl)] : []),
    ...(allowHttp ? ["--allow-http"] : []),
  ];
}
