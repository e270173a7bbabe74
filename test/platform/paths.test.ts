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

/** Returns the four folders, each named by what is below `base`. */
const below = (base: string, ...names: readonly string[]) => names.map((name) => `${base}${name}`);

const homeNames = [".config", ".local/share", ".local/state", ".cache"];
const home = below("/home/ann/", ...homeNames);
const library = below(
  "/Users/ann/Library/",
  "Preferences",
  "Application Support",
  "Application Support",
  "Caches",
);
const xdg = { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d/", XDG_STATE_HOME: "/s" };
const relative = { XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "", XDG_STATE_HOME: "./s" };
const known = { APPDATA: String.raw`C:\ann\Roaming`, LOCALAPPDATA: String.raw`C:\ann\Local` };
const roaming = ["C:\\ann\\Roaming", "C:\\ann\\Local", "C:\\ann\\Local", "C:\\ann\\Local\\Cache"];
const appData = below("C:\\ann\\AppData\\", "Roaming", "Local", "Local", "Local\\Cache");

describe("programFolders", () => {
  it.each<[string, NodeJS.Platform, Record<string, string>, readonly string[]]>([
    ["the places below the home", "linux", { HOME: "/home/ann" }, home],
    ["those of a home with a slash at its end", "linux", { HOME: "/home/ann/" }, home],
    ["those of the root, as in containers", "linux", { HOME: "/" }, below("/", ...homeNames)],
    ["the XDG folders", "linux", { ...xdg, XDG_CACHE_HOME: "/k" }, ["/c", "/d", "/s", "/k"]],
    ["no relative or empty XDG folder", "linux", { HOME: "/home/ann", ...relative }, home],
    ["the library", "darwin", { HOME: "/Users/ann" }, library],
    [
      "the XDG folders there too",
      "darwin",
      { HOME: "/Users/ann", ...xdg },
      ["/c", "/d", "/s", "/Users/ann/Library/Caches"],
    ],
    ["the application data", "win32", known, roaming],
    ["folders below the home", "win32", { HOME: "C:\\ann", XDG_STATE_HOME: "state" }, appData],
  ])("are %s on %s", (_what, platform, env, folders) => {
    const { config, data, state, cache } = programFolders(env, platform);
    const separator = platform === "win32" ? "\\" : "/";
    const expected = folders.map((folder) => `${folder}${separator}pets`);
    expect([config, data, state, cache]).toEqual(expected);
  });

  it.each([{}, { HOME: "" }, { HOME: "relative" }])("asks the system for the home of %j", (env) => {
    mockHome(() => "/home/ben");
    expect(programFolders(env, "linux").config).toBe("/home/ben/.config/pets");
    // It does not know every user.
    mockHome(() => {
      throw new Error("ENOENT");
    });
    expect(programFolders(env, "linux").config).toBe("/.config/pets");
  });
});
