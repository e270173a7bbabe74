import type { ApiEvent, DeprecationNotice, PetsApi } from "../client/types.ts";
import type { ServiceConnection } from "../config/types.ts";
import type { ClientOverrides, Context } from "../commands/context.ts";
import type { RateLimiter } from "../rate-limiter/limiter.ts";

/** The service at `connection`, which tells the user of waits, deprecations and, if asked, of all. */
export async function createClient(
  context: Context,
  connection: ServiceConnection,
  how: ClientOverrides = {},
): Promise<PetsApi> {
  const { createPetsApi } = await import("../client/pets-client.ts");
  const { createSleeper } = await import("../output/wait-notice.ts");
  const { supportsStatusLine } = await import("../output/status-line.ts");
  const { settings, stderr, clock, random, env, program } = context;
  const { signal = context.signal, onEvent, sendSignal } = how;
  const { timeoutMs, maxWaitMs, quiet, verbose } = settings;
  const live = supportsStatusLine(stderr, env);
  const tell = await eventReporter(context);
  return createPetsApi({
    ...connection,
    timeoutMs,
    maxWaitMs,
    userAgent: `pets/${program.version}`,
    env,
    clock,
    limiter: await context.gate(connection),
    random,
    signal,
    ...(sendSignal && { sendSignal }),
    onEvent: (event) => {
      onEvent?.(event);
      tell(event);
    },
    wait: how.wait ?? createSleeper({ stderr, clock, signal, quiet, maxWaitMs, verbose, live }),
  });
}

/** The gate that all requests with the key and at the origin of `connection` go through. */
export async function createRateLimiter(
  context: Context,
  connection: ServiceConnection,
): Promise<RateLimiter> {
  const { RateLimiter } = await import("../rate-limiter/limiter.ts");
  const { SharedFileLog } = await import("../rate-limiter/log/shared-file-log.ts");
  const { limiterPaths } = await import("../rate-limiter/log/segment-paths.ts");
  const { clock, machine, random, folders } = context;
  const tell = await eventReporter(context);
  const files = limiterPaths(folders.state, connection.baseUrl.origin, connection.apiKey);
  return new RateLimiter({
    openLog: (now) => new SharedFileLog(files, now),
    clock,
    machine,
    random,
    onDegraded: (what) => tell({ type: "limiter_not_shared", what }),
  });
}

async function eventReporter(context: Context): Promise<(event: ApiEvent) => void> {
  const { settings, stderr, clock } = context;
  // Loaded before there is anything to tell, so that each line stands where it belongs.
  const verbose = settings.verbose ? await import("../output/verbose.ts") : undefined;
  return (event) => {
    if (event.type === "deprecation") void reportDeprecation(context, event.notice);
    else if (verbose) void stderr.write(verbose.verboseLine(event, clock.now()));
  };
}

async function reportDeprecation(context: Context, notice: DeprecationNotice): Promise<void> {
  const { deprecationText, announcesOtherRemoval } = await import("../output/deprecation.ts");
  // `pets get` has told of its own removal: another date is news beside that.
  const subject = announcesOtherRemoval(notice) ? "removal" : "deprecation";
  await context.noteDeprecation(deprecationText(notice), subject);
}
