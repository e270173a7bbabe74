import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tryLock } from "../../../src/platform/sqlite-lock.ts";
import { fakeClock } from "../../support/command/terminal.ts";
import { bundled } from "../../support/program/bundle.ts";
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

describe("read", () => {
  it("creates nothing if there is no file", async () => {
    const store = testStore();
    expect(await store.read()).toEqual({ profiles: {} });
    expect(existsSync(path.dirname(store.folder))).toBe(false);
  });

  it.each<[string, message: string, (file: string) => void]>([
    ["no object", "is damaged", (file) => writeFileSync(file, "[]")],
    ["not UTF-8", "is damaged", (file) => writeFileSync(file, Buffer.of(0x22, 0xe9, 0x22))],
    ["a folder", "is damaged", (file) => mkdirSync(file)],
    ["a device", "is damaged", (file) => symlinkSync("/dev/zero", file)],
    ["a link to itself", "cannot be read", (file) => symlinkSync(file, file)],
  ])("rejects what is %s: it %s, and stays unchanged", async (_what, message, make) => {
    const store = testStore();
    mkdirSync(store.folder, { recursive: true });
    make(store.file);
    const { ino, size, mtimeMs } = lstatSync(store.file);
    const failure = { exitCode: 1, message: expect.stringContaining(`${store.file} ${message}`) };
    for (const attempt of [store.read(), store.update(withShop)])
      await expect(attempt).rejects.toMatchObject(failure);
    expect(lstatSync(store.file)).toMatchObject({ ino, size, mtimeMs });
    expect(readdirSync(store.folder)).toEqual(["config.json"]);
  });

  it.each([0o640, 0o604, 0o620])("changes the mode %o to 600, and warns once", async (mode) => {
    const store = storeHolding('{"current":"a"}', mode);
    expect(await store.read()).toEqual({ current: "a", profiles: {} });
    expect(modeOf(store.file)).toBe("600");
    await store.read();
    expect(store.warnings).toEqual([expect.stringContaining(store.file)]);
  });

  it.each([0o770, 0o707])("gives a directory of the mode %o its mode back", async (mode) => {
    const store = storeHolding("");
    chmodSync(store.folder, mode);
    expect(await store.read()).toEqual({ profiles: {} });
    expect(modeOf(store.folder)).toBe("700");
    expect(store.warnings).toEqual([
      `the directory ${store.folder} was writable by other users; its mode was changed to 700`,
    ]);
    // An empty file is replaced like any other.
    expect(await store.update(withShop)).toEqual({ profiles: { shop } });
  });
});

describe("update", () => {
  it("creates file and folder readable by the owner only, whatever the umask", async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const store = testStore();
    expect(await store.update(withShop)).toEqual({ profiles: { shop } });
    expect(await store.read()).toEqual({ profiles: { shop } });
    expect([modeOf(store.folder), modeOf(store.file)]).toEqual(["700", "600"]);
    expect(readdirSync(store.folder).sort()).toEqual(["config.json", "config.lock"]);
    expect(store.warnings).toEqual([]);
  });

  it("keeps unknown fields", async () => {
    const store = storeHolding('{"v":2,"profiles":{"a":{"baseUrl":"x","note":1}}}');
    await store.update(withShop);
    expect(JSON.parse(readFileSync(store.file, "utf8"))).toEqual({
      v: 2,
      profiles: { a: { baseUrl: "x", note: 1 }, shop },
    });
  });

  it.each(["there", "not there"])("keeps a link to a file that is %s", async (state) => {
    const store = testStore();
    const home = temporaryFolder();
    mkdirSync(store.folder, { recursive: true });
    symlinkSync(path.join(home, "profiles"), path.join(home, "middle"));
    symlinkSync(path.join(path.relative(store.folder, home), "middle"), store.file);
    if (state === "there") writeFileSync(path.join(home, "profiles"), "{}", { mode: 0o600 });
    await store.update(withShop);
    expect(lstatSync(store.file).isSymbolicLink()).toBe(true);
    expect(readdirSync(home).sort()).toEqual(["middle", "profiles"]);
    expect(modeOf(path.join(home, "profiles"))).toBe("600");
    expect(await store.read()).toEqual({ profiles: { shop } });
  });

  it("writes nothing if nothing changes, and creates nothing if the change throws", async () => {
    const store = testStore();
    await store.update((data) => data);
    await expect(store.update(refuse)).rejects.toThrow("refused");
    expect(existsSync(store.folder)).toBe(false);
  });

  it("waits for another writer, for 30 s at most", async () => {
    const clock = fakeClock();
    const store = testStore({ clock });
    mkdirSync(store.folder, { recursive: true });
    const lock = tryLock(path.join(store.folder, "config.lock"));
    const failure = { exitCode: 1, message: expect.stringContaining("another process") };
    await expect(store.update(withShop)).rejects.toMatchObject(failure);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    lock?.release();
    expect(await store.update(withShop)).toEqual({ profiles: { shop } });
  });
});

describe("many processes", () => {
  let writer = "";
  beforeAll(async () => void (writer = await bundled(profileWriter)));

  it("loses none of 8 concurrent changes", async () => {
    const store = testStore();
    const names = Array.from({ length: 8 }, (_, place) => `w${place}-`);
    const ended = names.map((name) => {
      const words = [writer, store.folder, name, "once"];
      return once(
        spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] }),
        "close",
      );
    });
    expect(await Promise.all(ended)).toEqual(names.map(() => [0, null]));
    const { profiles } = await store.read();
    expect(Object.keys(profiles).sort()).toEqual(names.map((name) => `${name}0`).sort());
  });

  it("keeps the file whole if writers are killed", async () => {
    const store = testStore();
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [writer, store.folder, `r${round}-`]);
      await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, 9 * round));
      child.kill("SIGKILL");
      await once(child, "close");
      expect(Object.keys((await store.read()).profiles)).toContain(`r${round}-0`);
    }
  });
});
