import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { tryLock } from "../../../src/platform/sqlite-lock.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import {
  modeOf,
  profileWriter,
  shop,
  storeHolding,
  testStore,
  withShop,
} from "../support/profile-store.ts";

const refuse = (): never => {
  throw new Error("refused");
};

describe("update", () => {
  it("makes a folder private that others could enter", async () => {
    const store = storeHolding("{}");
    chmodSync(store.folder, 0o755);
    await store.update(withShop);
    expect(modeOf(store.folder)).toBe("700");
  });

  it("writes nothing if nothing changes, and creates nothing if the change throws", async () => {
    const store = testStore();
    await store.update((data) => data);
    await expect(store.update(refuse)).rejects.toThrow("refused");
    expect(existsSync(store.folder)).toBe(false);
  });

  it("names the file if its folder cannot be created", async () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const store = testStore({ folder: path.join(file, "pets") });
    await expect(store.update(withShop)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(store.file),
      hints: ["To keep it elsewhere, set XDG_CONFIG_HOME."],
    });
  });

  it("waits for another writer, for 30 s at most", async () => {
    const clock = fakeClock();
    const store = testStore({ clock });
    mkdirSync(store.folder, { recursive: true });
    const lock = tryLock(path.join(store.folder, "config.lock"));
    await expect(store.update(withShop)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("another process"),
    });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    lock?.release();
    expect(await store.update(withShop)).toEqual({ profiles: { shop } });
  });

  it("stops waiting when the signal is aborted", async () => {
    const controller = new AbortController();
    const store = testStore({ signal: controller.signal });
    mkdirSync(store.folder, { recursive: true });
    const lock = tryLock(path.join(store.folder, "config.lock"));
    const waiting = store.update(withShop);
    controller.abort(new Error("interrupted"));
    await expect(waiting).rejects.toThrow("interrupted");
    lock?.release();
  });
});

describe("many processes", () => {
  it("loses none of 8 concurrent changes", async () => {
    const store = testStore();
    const names = Array.from({ length: 8 }, (_, place) => `w${place}-`);
    const codes = names.map(async (name) => {
      const child = spawn(process.execPath, [profileWriter, store.folder, name, "once"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      const [code] = await once(child, "close");
      return code;
    });
    expect(await Promise.all(codes)).toEqual(names.map(() => 0));
    const { profiles } = await store.read();
    expect(Object.keys(profiles).sort()).toEqual(names.map((name) => `${name}0`).sort());
  });

  it("keeps the file whole if writers are killed", async () => {
    const store = testStore();
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [profileWriter, store.folder, `r${round}-`]);
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, 7 * round));
      child.kill("SIGKILL");
      await once(child, "close");
      expect(Object.keys((await store.read()).profiles)).toContain(`r${round}-0`);
    }
    await store.update(withShop);
    expect(readdirSync(store.folder).sort()).toEqual(["config.json", "config.lock"]);
  });
});
