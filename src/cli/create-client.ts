import type { DeprecationNotice } from "../client/http/reply-head.ts";
import type { LocalStore } from "../client/local-store.ts";
import type { ApiEvent, PetsApi } from "../client/types.ts";
import type { ClientOverrides, Context, LimiterTarget } from "../commands/context.ts";
import { describeKey, type ServiceConnection } from "../config/connection.ts";
import { truncate } from "../core/strings.ts";
import type { Limiter } from "../rate-limiter/types.ts";

/** Returns a client of the service, which prints waits, deprecations and, with `--verbose`, every request. */
export async function createClient(
  context: Context,
  connection: ServiceConnection,
  overrides: ClientOverrides = {},
): Promise<PetsApi> {
  const { PetsClient } = await import("../client/pets-client.ts");
  const { createSleeper } = await import("../output/wait-notice.ts");
  const { notesDeprecation, signal = context.signal, onEvent, ...replaced } = overrides;
  const { settings, random } = context;
  const report = await eventReporter(context, notesDeprecation);
  return new PetsClient({
    ...serviceOptions(context, connection),
    // A key that was typed has no name.
    ...(replaced.keyHint !== undefined && { keyName: undefined }),
    listCommand: context.commandHere("list"),
    limiter: await context.limiter(connection),
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

/** Opens the store at `connection`, which prints every request with `--verbose`. */
export async function createLocalStore(
  context: Context,
  connection: ServiceConnection,
): Promise<LocalStore> {
  const { LocalStore: Store } = await import("../client/local-store.ts");
  const onEvent = await eventReporter(context);
  return new Store({ ...serviceOptions(context, connection), signal: context.signal, onEvent });
}

function serviceOptions(
  { settings, clock, env, program }: Context,
  { baseUrl, ...from }: ServiceConnection,
) {
  const { timeoutMs } = settings;
  const userAgent = `pets/${program.version}`;
  return { baseUrl, apiKey: from.apiKey, ...describeKey(from), timeoutMs, userAgent, env, clock };
}

/** Returns the rate limiter of all requests with a key to an origin, on all machines if they share a server. */
export async function createRateLimiter(context: Context, target: LimiterTarget): Promise<Limiter> {
  const { LocalLimiter } = await import("../rate-limiter/local-limiter.ts");
  const { SharedFileLog } = await import("../rate-limiter/log/files/shared-file-log.ts");
  const { limiterPaths } = await import("../rate-limiter/log/files/segment-paths.ts");
  const { clock, machine, random, folders, note } = context;
  const report = await eventReporter(context);
  const now = () => ({ boot: machine.bootId(), uptime: machine.uptime(), wall: clock.now() });
  const files = limiterPaths(folders.state, target.baseUrl.origin, target.apiKey);
  const local = new LocalLimiter({
    openLog: () => new SharedFileLog(files, now),
    now,
    machine,
    random,
    onDegraded: (what) => report({ type: "limiter_not_shared", what }),
  });
  const { limiterServer: server = await context.limiterServer() } = target;
  if (!server) return local;
  const { FleetLimiter } = await import("../rate-limiter/fleet-limiter.ts");
  const { connectStream } = await import("../rate-limiter/log/redis/connection.ts");
  const { recentProblem, rememberProblem } = await import("../rate-limiter/log/redis/problem.ts");
  const memory = { folder: files.folder, server };
  const place = server.url.replace(/^.*\/\//, "");
  return new FleetLimiter({
    local,
    url: server.url,
    // The log is named as the files are.
    connect: () => connectStream(server, `pets:${files.name}`),
    now,
    knownProblem: () => (server.required ? undefined : recentProblem(memory, clock.now())),
    onProblem: (reason) => {
      rememberProblem(memory, reason, clock.now());
      if (!server.required)
        void note(
          `The limiter at ${place} cannot be used (${reason}): only this machine shares the limits for now.`,
        );
    },
    required: server.required
      ? (reason) => `the limiter at ${place} is required and cannot be used: ${reason}`
      : undefined,
  });
}

/** Returns the function that reports events to the user; `isNoted` if the command itself notes a deprecation. */
async function eventReporter(
  context: Context,
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
