import { homedir } from "node:os";
import path from "node:path";
import type { Environment } from "../io.ts";

/** The folders that hold what the program keeps. None of them need exist. */
export interface ProgramFolders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

const program = "pets";

/**
 * Where the program keeps its files: the XDG base directories where their variables are set to an
 * absolute path (XDG Base Directory Specification 0.8), else the platform's own places.
 */
export function programFolders(env: Environment, platform: NodeJS.Platform): ProgramFolders {
  const home = env.HOME || homedir();
  const fallback = platformFolders(env, platform, home);
  const xdg = (name: string, other: string): string => {
    const value = env[name];
    return path.join(value !== undefined && path.isAbsolute(value) ? value : other, program);
  };
  return {
    config: xdg("XDG_CONFIG_HOME", fallback.config),
    data: xdg("XDG_DATA_HOME", fallback.data),
    state: xdg("XDG_STATE_HOME", fallback.state),
  };
}

function platformFolders(env: Environment, platform: string, home: string): ProgramFolders {
  if (platform === "darwin") {
    const support = path.join(home, "Library", "Application Support");
    return { config: path.join(home, "Library", "Preferences"), data: support, state: support };
  }
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || path.join(home, "AppData", "Local");
    return {
      config: env.APPDATA || path.join(home, "AppData", "Roaming"),
      data: local,
      state: local,
    };
  }
  return {
    config: path.join(home, ".config"),
    data: path.join(home, ".local", "share"),
    state: path.join(home, ".local", "state"),
  };
}
