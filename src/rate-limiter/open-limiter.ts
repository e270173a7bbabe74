import path from "node:path";
import type { Clock, Machine } from "../platform/io.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import { ensureOwnFolder } from "../platform/private-files.ts";
import type { FleetLimiterOptions } from "./fleet-limiter.ts";
import { LocalLimiter, type LocalLimiterOptions } from "./local-limiter.ts";
import { limiterPaths } from "./log/files/segment-paths.ts";
import { SharedFileLog } from "./log/files/shared-file-log.ts";
import type { RedisServer } from "./log/redis/connection.ts";
import { timestampOf } from "./rules/records.ts";
import type { Limiter } from "./types.ts";

interface LimiterOptions extends Pick<LocalLimiterOptions, "random" | "onMoved"> {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly folders: ProgramFolders;
  readonly origin: string;
  readonly apiKey: string;
  /** The server through which machines share it; `url` is for display. */
  readonly server: (RedisServer & { readonly url: string; readonly required: boolean }) | undefined;
  readonly onUnusable: (reason: string) => void;
  readonly requiredText: NonNullable<FleetLimiterOptions["required"]>;
}

/** Returns the rate limiter of all requests with a key to an origin, on all machines if they share a server. */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { clock, machine, random, server, onMoved } = options;
  const now = () => timestampOf(machine, clock);
  const places = limiterPaths(options.folders, options.origin, options.apiKey);
  const createLocal = (onEvent?: LocalLimiterOptions["onEvent"]) =>
    new LocalLimiter({
      logs: places.map((files, index) => () => {
        if (index > 0) ensureOwnFolder(path.dirname(files.folder), machine.uid ?? -1);
        return new SharedFileLog(files, now);
      }),
      now,
      machine,
      random,
      onMoved,
      onEvent,
    });
  if (server === undefined) return createLocal();
  const { FleetLimiter } = await import("./fleet-limiter.ts");
  const { connectStream } = await import("./log/redis/connection.ts");
  const { recentProblem, rememberProblem } = await import("./log/redis/problem.ts");
  return new FleetLimiter({
    createLocal,
    url: server.url,
    // The log is named as the files are.
    connect: () => connectStream(server, `pets:${places[0]?.name}`),
    now,
    knownProblem: (folder) =>
      server.required ? undefined : recentProblem({ folder, server }, clock.now()),
    onProblem: (reason, folder) => {
      rememberProblem({ folder, server }, reason, clock.now());
      if (!server.required) options.onUnusable(reason);
    },
    required: server.required ? options.requiredText : undefined,
  });
}
