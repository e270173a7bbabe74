import path from "node:path";
import type { Clock, Machine } from "../platform/io.ts";
import type { ProgramFolders } from "../platform/paths.ts";
import { ensureOwnFolder } from "../platform/private-files.ts";
import { LocalLimiter, type LocalLimiterOptions } from "./local-limiter.ts";
import { type CommandKey, commandKeyLog } from "./log/files/command-key.ts";
import { limiterFolders, logName } from "./log/files/segment-paths.ts";
import { SharedFileLog } from "./log/files/shared-file-log.ts";
import type { RedisServer } from "./log/redis/connection.ts";
import { type Timestamp, timestampOf } from "./rules/records.ts";
import type { Limiter } from "./types.ts";

interface LimiterOptions extends Pick<LocalLimiterOptions, "random" | "onMoved"> {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly folders: ProgramFolders;
  readonly origin: string;
  readonly apiKey: string;
  readonly keyCommand?: CommandKey["keyCommand"] | undefined;
  /** The server through which machines share it; `url` is for display. */
  readonly server: (RedisServer & { readonly url: string; readonly required: boolean }) | undefined;
  readonly onUnusable: (reason: string) => void;
}

/** Returns the rate limiter of all requests with a key to an origin, on all machines if they share a server. */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { clock, machine, random, server, onMoved } = options;
  const now = () => timestampOf(machine, clock);
  const name = logNameOf(options, now);
  const createLocal = (onEvent?: LocalLimiterOptions["onEvent"]) =>
    new LocalLimiter({
      logs: limiterFolders(options.folders).map((folder, index) => () => {
        checkFolder(folder, index, machine);
        return new SharedFileLog({ folder, name }, now);
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
    connect: () => connectStream(server, `pets:${name}`),
    now,
    knownProblem: (folder) =>
      server.required ? undefined : recentProblem({ folder, server }, clock.now()),
    onProblem: (reason, folder) => {
      rememberProblem({ folder, server }, reason, clock.now());
      if (!server.required) options.onUnusable(reason);
    },
    required: server.required,
  });
}

/** Checks a folder of the limiter's, of which only the first is in one of the user's own. */
function checkFolder(folder: string, index: number, { uid = -1 }: Machine): void {
  if (index > 0) ensureOwnFolder(path.dirname(folder), uid);
}

/** Returns the name of the log of a key: of one that a command has printed by the first folder that can be used. */
function logNameOf(options: LimiterOptions, now: () => Timestamp): string {
  const { folders, origin, apiKey, keyCommand, machine } = options;
  if (keyCommand !== undefined)
    for (const [index, folder] of limiterFolders(folders).entries())
      try {
        checkFolder(folder, index, machine);
        return commandKeyLog(folder, { origin, apiKey, keyCommand }, now, machine.tickMs);
      } catch {
        // The next folder, or else the key's own name.
      }
  return logName(origin, apiKey);
}
