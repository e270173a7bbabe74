import type { DeprecationNotice } from "../client/http/reply-head.ts";
import type { PetsApi } from "../client/pets-client.ts";
import type { ApiEvent } from "../client/types.ts";
import type { Context } from "../commands/context.ts";
import type { ClientOverrides, CommandService, LimitedKey } from "../commands/service.ts";
import {
  findSources,
  type ServiceConnection,
  type ServiceSources,
  type ServiceTarget,
  targetOf,
} from "../config/connection.ts";
import { serverOf } from "../config/limiter-server.ts";
import { maskKey } from "../core/api-key.ts";
import { truncate } from "../core/strings.ts";
import type { Limiter } from "../rate-limiter/types.ts";

/** What the service of a command is made from. */
export type ServiceContext = Omit<Context, "service">;

/** Returns the service of the command that `context` is made for. */
export function createService(context: ServiceContext): CommandService {
  const limiters = new Map<string, Promise<Limiter>>();
  let connection: Promise<ServiceConnection> | undefined;
  let sources: Promise<ServiceSources> | undefined;
  const readProfiles = async () => (await context.profiles()).read();
  const service: CommandService = {
    // Key, base URL and limiter come from the same read.
    sources: () => (sources ??= findSources(context.settings, readProfiles)),
    target: async () => targetOf(await service.sources()),
    settings: async () => {
      const { settings, problem } = await service.sources();
      if (settings === undefined) throw problem;
      return settings;
    },
    connection: () => (connection ??= service.target().then((found) => connect(context, found))),
    api: async (target, overrides) =>
      createClient(context, service, target ?? (await service.connection()), overrides),
    localStore: async () => {
      const { LocalStore } = await import("../client/local-store.ts");
      const onEvent = await eventReporter(context);
      const place = await service.connection();
      return new LocalStore({ ...commonOptions(context), ...place, onEvent });
    },
    limiterServer: async () => serverOf(await service.settings(), context.env),
    limiter: (target) => {
      const id = `${target.baseUrl.origin} ${target.apiKey}`;
      const limiter = limiters.get(id) ?? openShared(context, service, target);
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
  return service;
}

async function connect(
  { runKeyCommand }: ServiceContext,
  { baseUrl, key }: ServiceTarget,
): Promise<ServiceConnection> {
  const apiKey = "value" in key ? key.value : await runKeyCommand(key.command);
  const keyName = `${maskKey(apiKey)} from ${key.from}`;
  const printed = "command" in key && { keyCommand: key };
  return { baseUrl, apiKey, keyName, keyHint: key.hint, ...printed };
}

/** Returns a client of the service, which prints waits, deprecations and, with `--verbose`, every request. */
async function createClient(
  context: ServiceContext,
  service: CommandService,
  connection: ServiceConnection,
  overrides: ClientOverrides = {},
): Promise<PetsApi> {
  const { PetsClient } = await import("../client/pets-client.ts");
  const { createSleeper } = await import("../output/wait-notice.ts");
  const { notesDeprecation, signal = context.signal, onEvent, ...replaced } = overrides;
  const { settings, random } = context;
  const report = await eventReporter(context, notesDeprecation);
  return new PetsClient({
    ...commonOptions(context),
    ...connection,
    listCommand: context.commandHere("list"),
    limiter: await service.limiter(connection),
    random,
    wait: createSleeper(context, signal),
    ...replaced,
    maxWaitMs: Math.min(settings.maxWaitMs, replaced.maxWaitMs ?? Infinity),
    signal,
    onEvent: (event) => {
      onEvent?.(event);
      report(event);
    },
  });
}

function commonOptions({ settings, clock, env, program, signal }: ServiceContext) {
  const { timeoutMs } = settings;
  return { timeoutMs, userAgent: `pets/${program.version}`, env, clock, signal };
}

const notShared =
  "other pets processes do not share the rate limits: set XDG_STATE_HOME to a directory that you can write";

/** Returns the limiter of a key at an origin; says once if it cannot be shared. */
async function openShared(
  context: ServiceContext,
  service: CommandService,
  target: LimitedKey,
): Promise<Limiter> {
  const { openLimiter } = await import("../rate-limiter/open-limiter.ts");
  const { clock, machine, random, folders, note, warn } = context;
  const report = await eventReporter(context);
  const { limiterServer: server = await service.limiterServer() } = target;
  const address = server?.url.replace(/^.*\/\//, "");
  return openLimiter({
    clock,
    machine,
    random,
    folders,
    origin: target.baseUrl.origin,
    apiKey: target.apiKey,
    keyCommand: target.keyCommand,
    server: server ?? undefined,
    onMoved: (what, folder) => {
      report({ type: "limiter_moved", what, folder });
      if (folder === undefined) void warn(`${notShared} (${what})`);
    },
    onUnusable: (reason) =>
      void note(
        `The limiter at ${address} cannot be used (${reason}): only this machine shares the limits for now.`,
      ),
    requiredText: (reason) => `the limiter at ${address} is required and cannot be used: ${reason}`,
  });
}

/** Returns the function that reports events to the user; `isNoted` if the command itself notes a deprecation. */
async function eventReporter(
  context: ServiceContext,
  isNoted = false,
): Promise<(event: ApiEvent) => void> {
  const { settings, stderr, clock } = context;
  // Loaded before the first event, so that lines are printed in the order of the events.
  const verbose = settings.verbose ? await import("../output/verbose.ts") : undefined;
  return (event) => {
    if (event.type === "deprecation") {
      if (!isNoted) void context.noteDeprecation(deprecationText(event.notice), "run");
    } else if (verbose) void stderr.write(verbose.verboseLine(event, clock.now()));
  };
}

const maxHeaderLength = 100;

/** Returns a sentence about a deprecated request (RFC 9745, RFC 8594), in the words of the headers. */
function deprecationText({ deprecation, sunset }: DeprecationNotice): string {
  const headers = Object.entries({ Deprecation: deprecation, Sunset: sunset });
  const said = headers.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${truncate(value, maxHeaderLength)}`],
  );
  return `The service says that this request is deprecated (${said.join("; ")}).`;
}
