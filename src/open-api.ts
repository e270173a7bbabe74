import type { ApiEvent, DeprecationNotice, PetsApi } from "./api/types.ts";
import type { Connection } from "./config/types.ts";
import type { ApiHow, Context } from "./context.ts";
import type { Gate } from "./gate/gate.ts";

/** The service at `connection`, which tells the user of waits, deprecations and, if asked, of all. */
export async function openApi(
  context: Context,
  connection: Connection,
  how: ApiHow = {},
): Promise<PetsApi> {
  const { createPetsApi } = await import("./api/client.ts");
  const { createWaiter } = await import("./output/waiting.ts");
  const { canBeLive } = await import("./output/live.ts");
  const { settings, stderr, clock, random, env, program } = context;
  const { signal = context.signal, onEvent, sendSignal } = how;
  const { timeoutMs, maxWaitMs, quiet, verbose } = settings;
  const live = canBeLive(stderr, env);
  const tell = await makeTeller(context);
  return createPetsApi({
    ...connection,
    timeoutMs,
    maxWaitMs,
    userAgent: `pets/${program.version}`,
    env,
    clock,
    gate: await context.gate(connection),
    random,
    signal,
    ...(sendSignal && { sendSignal }),
    onEvent: (event) => {
      onEvent?.(event);
      tell(event);
    },
    wait: how.wait ?? createWaiter({ stderr, clock, signal, quiet, maxWaitMs, verbose, live }),
  });
}

/** The gate that all requests with the key and at the origin of `connection` go through. */
export async function openGate(context: Context, connection: Connection): Promise<Gate> {
  const { Gate } = await import("./gate/gate.ts");
  const { FileLog } = await import("./gate/file-log.ts");
  const { gateFiles } = await import("./gate/name.ts");
  const { clock, machine, random, folders } = context;
  const tell = await makeTeller(context);
  const files = gateFiles(folders.state, connection.baseUrl.origin, connection.apiKey);
  return new Gate({
    openLog: (now) => new FileLog(files, now),
    clock,
    machine,
    random,
    onTrouble: (what) => tell({ type: "alone", what }),
  });
}

async function makeTeller(context: Context): Promise<(event: ApiEvent) => void> {
  const { settings, stderr, clock } = context;
  // Loaded before there is anything to tell, so that each line stands where it belongs.
  const verbose = settings.verbose ? await import("./output/verbose.ts") : undefined;
  return (event) => {
    if (event.type === "deprecation") void tellDeprecation(context, event.notice);
    else if (verbose) void stderr.write(verbose.verboseLine(event, clock.now()));
  };
}

async function tellDeprecation(context: Context, notice: DeprecationNotice): Promise<void> {
  const { deprecationText, namesRemoval } = await import("./output/deprecation.ts");
  // `pets get` has told of its own removal: another date is news beside that.
  const subject = namesRemoval(notice) ? "removal" : "deprecation";
  await context.noteDeprecation(deprecationText(notice), subject);
}
