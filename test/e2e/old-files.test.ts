import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const fixtures = path.resolve(import.meta.dirname, "../fixtures/old-files");

/** Copies a folder of the fixtures, readable only by its owner, as the program made it. */
function copyOf(name: string): string {
  const folder = path.join(temporaryFolder(), name);
  cpSync(path.join(fixtures, name), folder, { recursive: true, mode: 0 });
  return folder;
}

describe("profiles of an old version", () => {
  it("are listed, shown with their keys masked, and changed", async () => {
    const env = { ...cleanEnv(), XDG_CONFIG_HOME: copyOf("config") };
    const list = await runInTime(["profile", "list", "--json"], { env });
    expect(JSON.parse(list.stdout)).toEqual([
      { name: "default", baseUrl: "https://shop.example/v1", key: "…5678", current: false },
      { name: "staging", baseUrl: "http://127.0.0.1:4010/api/v1", key: "…90ab", current: true },
    ]);
    expect(await runInTime(["profile", "remove", "staging"], { env })).toMatchObject({ code: 0 });
    const show = await runInTime(["profile", "show", "default", "--json"], { env });
    expect(JSON.parse(show.stdout)).toMatchObject({ name: "default", key: "…5678" });
    expect(list.stdout + show.stdout).not.toContain("key-of");
  });

  it("give their key and base URL to a request", async () => {
    const { requests, baseUrl } = await startStranger(reply(200, "[]"));
    const config = copyOf("config");
    const file = path.join(config, "pets/config.json");
    const profiles = readFileSync(file, "utf8");
    writeFileSync(file, profiles.replace("https://shop.example/v1", baseUrl));
    const env = { ...cleanEnv(), XDG_CONFIG_HOME: config };
    expect(await runInTime(["list", "--profile", "default"], { env })).toMatchObject({ code: 0 });
    expect(requests[0]?.headers.authorization).toBe("Bearer key-of-the-shop-5678");
  });
});

/** The animals of the data file, newest first, as they were written. */
