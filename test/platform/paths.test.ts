import os from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { programFolders } from "../../src/platform/paths.ts";

/** Makes the system return `homedir` for this user until the test ends. */
function mockHome(homedir: () => string): void {
  const spy = vi.spyOn(os, "userInfo").mockImplementation(() => {
    const known = { username: "ben", uid: 1, gid: 1, shell: null };
    return { ...known, homedir: homedir() };
  });
  onTestFinished(() => spy.mockRestore());
}

describe("programFolders", () => {
  it.each([
    [
      "linux: the places below the home",
      "linux",
      { HOME: "/home/ann" },
      [
        "/home/ann/.config/pets",
        "/home/ann/.local/share/pets",
        "/home/ann/.local/state/pets",
        "/home/ann/.cache/pets",
      ],
    ],
    [
      "linux: the XDG folders if they are set",
      "linux",
      {
        HOME: "/home/ann",
        XDG_CONFIG_HOME: "/c",
        XDG_DATA_HOME: "/d/",
        XDG_STATE_HOME: "/s",
        XDG_CACHE_HOME: "/k",
      },
      ["/c/pets", "/d/pets", "/s/pets", "/k/pets"],
    ],
    [
      "linux: an XDG folder that is relative or empty is ignored",
      "linux",
      { HOME: "/home/ann", XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "", XDG_STATE_HOME: "./s" },
      [
        "/home/ann/.config/pets",
        "/home/ann/.local/share/pets",
        "/home/ann/.local/state/pets",
        "/home/ann/.cache/pets",
      ],
    ],
    [
      "linux: a home that is the root, as in containers",
      "linux",
      { HOME: "/" },
      ["/.config/pets", "/.local/share/pets", "/.local/state/pets", "/.cache/pets"],
    ],
    [
      "linux: a home with a slash at its end",
      "linux",
      { HOME: "/home/ann/" },
      [
        "/home/ann/.config/pets",
        "/home/ann/.local/share/pets",
        "/home/ann/.local/state/pets",
        "/home/ann/.cache/pets",
      ],
    ],
    [
      "macOS: the library",
      "darwin",
      { HOME: "/Users/ann" },
      [
        "/Users/ann/Library/Preferences/pets",
        "/Users/ann/Library/Application Support/pets",
        "/Users/ann/Library/Application Support/pets",
        "/Users/ann/Library/Caches/pets",
      ],
    ],
    [
      "macOS: the XDG folders if they are set",
      "darwin",
      { HOME: "/Users/ann", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" },
      ["/c/pets", "/d/pets", "/s/pets", "/Users/ann/Library/Caches/pets"],
    ],
    [
      "Windows: the application data",
      "win32",
      { APPDATA: "C:\\Users\\ann\\Roaming", LOCALAPPDATA: "C:\\Users\\ann\\Local" },
      [
        "C:\\Users\\ann\\Roaming\\pets",
        "C:\\Users\\ann\\Local\\pets",
        "C:\\Users\\ann\\Local\\pets",
        "C:\\Users\\ann\\Local\\Cache\\pets",
      ],
    ],
    [
      "Windows: below the home if the system names no folders",
      "win32",
      { HOME: "C:\\Users\\ann", XDG_STATE_HOME: "state" },
      [
        "C:\\Users\\ann\\AppData\\Roaming\\pets",
        "C:\\Users\\ann\\AppData\\Local\\pets",
        "C:\\Users\\ann\\AppData\\Local\\pets",
        "C:\\Users\\ann\\AppData\\Local\\Cache\\pets",
      ],
    ],
  ] as const)("%s", (_what, platform, env, [config, data, state, cache]) => {
    expect(programFolders(env, platform)).toEqual({ config, data, state, cache });
  });

  const noHome = [{}, { HOME: "" }, { HOME: "relative" }];

  it.each(noHome)("asks the system for the home of %j", (env) => {
    mockHome(() => "/home/ben");
    expect(programFolders(env, "linux").config).toBe("/home/ben/.config/pets");
  });

  it.each(noHome)("uses the root as the home of %j if the user is unknown", (env) => {
    mockHome(() => {
      throw new Error("ENOENT");
    });
    expect(programFolders(env, "linux").config).toBe("/.config/pets");
  });
});
