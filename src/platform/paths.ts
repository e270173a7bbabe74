import os from "node:os";
import path from "node:path";
import type { Environment } from "./io.ts";

export interface ProgramFolders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  /** What may be deleted at any time. */
  readonly cache: string;
  /** For the state of users whose state folder can't be used: in a folder of all users, and not made yet. */
  readonly temporary?: string | undefined;
}

const program = "pets";

/** Returns where the program's files are: in XDG base directories whose variables are absolute, else in the platform's. */
export function programFolders(
  env: Environment,
  platform: NodeJS.Platform,
  uid?: number,
): ProgramFolders {
  const system = platform === "win32" ? path.win32 : path.posix;
  const absolute = (value: string | undefined): string | undefined =>
    value !== undefined && system.isAbsolute(value) ? value : undefined;
  const below = (folder: string): string => system.join(folder, program);
  const own = platformFolders(env, platform, absolute(env.HOME) ?? homeOfUser());
  return {
    config: below(absolute(env.XDG_CONFIG_HOME) ?? own.config),
    data: below(absolute(env.XDG_DATA_HOME) ?? own.data),
    state: below(absolute(env.XDG_STATE_HOME) ?? own.state),
    cache: below(absolute(env.XDG_CACHE_HOME) ?? own.cache),
    temporary: uid === undefined ? undefined : system.join(os.tmpdir(), `${program}-${uid}`),
  };
}

function platformFolders(env: Environment, platform: string, home: string): ProgramFolders {
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || path.win32.join(home, "AppData", "Local");
    const config = env.APPDATA || path.win32.join(home, "AppData", "Roaming");
    return { config, data: local, state: local, cache: path.win32.join(local, "Cache") };
  }
  const below = (folder: string): string => path.posix.join(home, folder);
  if (platform !== "darwin") {
    const [data, state] = [below(".local/share"), below(".local/state")];
    return { config: below(".config"), data, state, cache: below(".cache") };
  }
  const support = below("Library/Application Support");
  const config = below("Library/Preferences");
  return { config, data: support, state: support, cache: below("Library/Caches") };
}

/** Returns the home folder that the system has for this user; in a container the user may be unknown to it. */
function homeOfUser(): string {
  try {
    return os.userInfo().homedir;
  } catch {
    return path.resolve("/");
  }
}
