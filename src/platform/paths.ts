import path from "node:path";
import { builtin } from "../builtin.ts";
import type { Environment } from "./io.ts";

/** The folders that hold what the program keeps. None of them need exist. */
export interface ProgramFolders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

const program = "pets";

/**
 * Where the program keeps its files: the XDG base directories where their variables are set to an
 * absolute path (XDG Base Directory Specification 0.8), else the platform's own places. Never
 * throws: where there is no home, they are below the root, where most users can't write.
 */
export function programFolders(env: Environment, platform: NodeJS.Platform): ProgramFolders {
  const system = platform === "win32" ? path.win32 : path.posix;
  const absolute = (value: string | undefined): string | undefined =>
    value !== undefined && system.isAbsolute(value) ? value : undefined;
  // Cold, path.posix.join takes a millisecond.
  const below = (folder: string): string =>
    system === path.posix ? `${withoutSlash(folder)}/${program}` : system.join(folder, program);
  const own = platformFolders(env, platform, absolute(env.HOME) ?? homeOfUser());
  return {
    config: below(absolute(env.XDG_CONFIG_HOME) ?? own.config),
    data: below(absolute(env.XDG_DATA_HOME) ?? own.data),
    state: below(absolute(env.XDG_STATE_HOME) ?? own.state),
  };
}

function platformFolders(env: Environment, platform: string, home: string): ProgramFolders {
  if (platform === "darwin") {
    const support = path.posix.join(home, "Library", "Application Support");
    const config = path.posix.join(home, "Library", "Preferences");
    return { config, data: support, state: support };
  }
  if (platform === "win32") return windowsFolders(env, home);
  const own = withoutSlash(home);
  return {
    config: `${own}/.config`,
    data: `${own}/.local/share`,
    state: `${own}/.local/state`,
  };
}

/** A folder's path without the slashes at its end; none for the root. */
function withoutSlash(folder: string): string {
  return folder.replace(/\/+$/, "");
}

function windowsFolders(env: Environment, home: string): ProgramFolders {
  const appData = path.win32.join(home, "AppData");
  const local = env.LOCALAPPDATA || path.win32.join(appData, "Local");
  return { config: env.APPDATA || path.win32.join(appData, "Roaming"), data: local, state: local };
}

/** The home folder that the system has for this user; containers may run one that it does not know. */
function homeOfUser(): string {
  try {
    return builtin("node:os").userInfo().homedir;
  } catch {
    return path.resolve("/");
  }
}
