import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProfileData } from "../../../src/config/types.ts";
import { tryLock } from "../../../src/platform/sqlite-lock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { fakeClock } from "../../support/terminal.ts";
import { testStore } from "../support.ts";

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const shop = { baseUrl: "https://shop.example/v1", apiKey: "secret-key" };
const withShop = (data: ProfileData): ProfileData => ({
  ...data,
  profiles: { ...data.profiles, shop },
});
const refuse = (): never => {
  throw new Error("refused");
};
const writer = fileURLToPath(new URL("../writer.ts", import.meta.url));

/** A store whose file holds `text`. */
function storeHolding(text: string, mode = 0o600) {
  const store = testStore();
  mkdirSync(store.folder, { recursive: true, mode: 0o700 });
  writeFileSync(store.file, text);
  chmodSync(store.file, mode);
  return store;
}

describe("reading profiles", () => {
  it("makes nothing where there is nothing", async () => {
    const store = testStore();
    expect(await store.read()).toEqual({ profiles: {} });
    expect(existsSync(path.dirname(store.folder))).toBe(false);
  });

  it("finds nothing below a file", async () => {
    expect(await testStore({ folder: "/dev/null/pets" }).read()).toEqual({ profiles: {} });
  });

  it.each<[string, string, object]>([
    ["an empty object", "{}", { profiles: {} }],
    ["a byte-order mark", '\uFEFF{"current":"a"}', { current: "a", profiles: {} }],
    [
      "fields that are not known",
      '{"v":2,"profiles":{"a":{"baseUrl":"x","note":1}}}',
      { v: 2, profiles: { a: { baseUrl: "x", note: 1 } } },
    ],
    [
      "a name that objects have",
      '{"profiles":{"constructor":{"baseUrl":"x"}}}',
      { profiles: { constructor: { baseUrl: "x" } } },
    ],
  ])("takes %s", async (_what, text, expected) => {
    const store = storeHolding(text);
    expect(await store.read()).toEqual(expected);
    expect(readdirSync(store.folder)).toEqual(["config.json"]);
  });

  it.each([
    ["no text", "", "it is not JSON"],
    ["half a text", '{"profiles":{"a":{"apiKey":"secret-k', "it is not JSON"],
    ["text around a key", '{"apiKey": secret-key}', "it is not JSON"],
    ["null", "null", "no JSON object"],
    ["a list", "[]", "no JSON object"],
    ["text", '"secret-key"', "no JSON object"],
    ["profiles that are a list", '{"profiles":[]}', "`profiles` is not an object"],
    ["profiles that are null", '{"profiles":null}', "`profiles` is not an object"],
    ["a current that is no text", '{"current":7}', "`current` is not text"],
    ["a profile that is null", '{"profiles":{"a":null}}', 'profile "a" is not an object'],
    ["a profile without base URL", '{"profiles":{"a":{"apiKey":"secret-key"}}}', "`baseUrl`"],
    ["a base URL that is no text", '{"profiles":{"a":{"baseUrl":1}}}', "`baseUrl`"],
    ["a key that is no text", '{"profiles":{"a":{"baseUrl":"x","apiKey":1}}}', "`apiKey`"],
    [
      "a key with a line end",
      '{"profiles":{"a":{"baseUrl":"x","apiKey":"secret\\nkey"}}}',
      "`apiKey`",
    ],
    ["a name that is not allowed", '{"profiles":{"a b":{"baseUrl":"x"}}}', "name"],
    ["what is no UTF-8", '{"profiles":{"a":{"baseUrl":"\uFFFD"}}}', "UTF-8"],
    ["__proto__", '{"profiles":{"__proto__":{"baseUrl":"x"}}}', 'profile "__proto__"'],
  ])("refuses %s, and leaves it as it was", async (_what, text, problem) => {
    const store = storeHolding(text);
    for (const attempt of [store.read(), store.update(withShop)]) {
      const failure = await attempt.catch((error: unknown) => error);
      expect(failure).toMatchObject({ exitCode: 1, code: "io", cause: undefined });
      expect(String(failure)).toContain(store.file);
      expect(String(failure)).toContain(problem);
      expect(String(failure)).not.toContain("secret");
    }
    expect(readFileSync(store.file, "utf8")).toBe(text);
    expect(readdirSync(store.folder)).toEqual(["config.json"]);
  });

  it.each<[string, (file: string) => void]>([
    ["a folder", (file) => mkdirSync(file)],
    ["a device", (file) => symlinkSync("/dev/zero", file)],
    ["a link to itself", (file) => symlinkSync(file, file)],
  ])("refuses %s", async (_what, make) => {
    const store = testStore();
    mkdirSync(store.folder, { recursive: true });
    make(store.file);
    await expect(store.read()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(store.file),
    });
    await expect(store.update(withShop)).rejects.toMatchObject({ exitCode: 1 });
  });

  it.each([0o644, 0o640, 0o604, 0o666, 0o620])("mends the mode %o, and says so", async (mode) => {
    const store = storeHolding('{"current":"a"}', mode);
    expect(await store.read()).toEqual({ current: "a", profiles: {} });
    expect(modeOf(store.file)).toBe("600");
    expect(store.warnings).toEqual([expect.stringContaining(store.file)]);
    await store.read();
    expect(store.warnings).toHaveLength(1);
  });

  it.each<[string, NodeJS.Platform, number]>([
    ["a mode that is private", "linux", 0o400],
    ["Windows, which has no modes", "win32", 0o666],
  ])("leaves alone %s", async (_what, platform, mode) => {
    const { folder, file } = storeHolding("{}", mode);
    const store = testStore({ folder, platform });
    await store.read();
    expect([modeOf(file), store.warnings]).toEqual([mode.toString(8), []]);
  });
});

describe("changing profiles", () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    delete process.env.SNAP;
  });

  it("keeps them in a file and a folder that nobody else may read, whatever the umask", async () => {
    const store = testStore();
    expect(await store.update(withShop)).toEqual({ profiles: { shop } });
    expect(await store.read()).toEqual({ profiles: { shop } });
    expect([modeOf(store.folder), modeOf(store.file)]).toEqual(["700", "600"]);
    expect(readdirSync(store.folder).sort()).toEqual(["config.json", "config.lock"]);
    expect(store.warnings).toEqual([]);
  });

  it("keeps what it does not know", async () => {
    const store = storeHolding('{"v":2,"profiles":{"a":{"baseUrl":"x","note":1}}}');
    await store.update(withShop);
    expect(JSON.parse(readFileSync(store.file, "utf8"))).toEqual({
      v: 2,
      profiles: { a: { baseUrl: "x", note: 1 }, shop },
    });
  });

  it("narrows a folder that others may enter", async () => {
    const store = storeHolding("{}");
    chmodSync(store.folder, 0o755);
    await store.update(withShop);
    expect(modeOf(store.folder)).toBe("700");
  });

  it("writes nothing when nothing changes, and makes nothing when the change is refused", async () => {
    const store = testStore();
    await store.update((data) => data);
    await expect(store.update(refuse)).rejects.toThrow("refused");
    expect(existsSync(store.folder)).toBe(false);
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

  it("replaces the file as a whole, also where SNAP is set", async () => {
    process.env.SNAP = "/snap/code/1";
    const store = storeHolding("{}");
    const { ino } = statSync(store.file);
    await store.update(withShop);
    expect(statSync(store.file).ino).not.toBe(ino);
    expect(modeOf(store.file)).toBe("600");
  });

  it("clears away what killed writers left, and nothing else", async () => {
    const store = storeHolding("{}");
    const left = ["config.json.next", "config.json.next.tmp-1234567890abcdef"];
    for (const name of [...left, "config.json.bak"])
      writeFileSync(path.join(store.folder, name), "{");
    await store.update(withShop);
    expect(readdirSync(store.folder).sort()).toEqual([
      "config.json",
      "config.json.bak",
      "config.lock",
    ]);
  });

  it("keeps the old file when the new one does not fit", async () => {
    const store = testStore();
    const names = Array.from({ length: 40 }, (_, place) => [`p${place}`, shop]);
    await store.update(() => ({ profiles: Object.fromEntries(names) }));
    const before = readFileSync(store.file, "utf8");
    // A file may have 512 or 1024 bytes: a short write comes first, as on a disk that is nearly full.
    const limited = 'ulimit -f 1; exec "$@"';
    const command = [process.execPath, writer, store.folder, "more", "once"];
    const child = spawn("sh", ["-c", limited, "sh", ...command]);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = await once(child, "close");
    expect(code).not.toBe(0);
    expect(said).toContain(`${store.file} can't be written: not all of it`);
    expect(readFileSync(store.file, "utf8")).toBe(before);
  });

  it("names the file when its folder can't be made", async () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const store = testStore({ folder: path.join(file, "pets") });
    await expect(store.update(withShop)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(store.file),
    });
  });

  it("waits for another writer, and gives up in the end", async () => {
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

  it("stops waiting when it is told to end", async () => {
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
  it("loses none of 20 changes that are made at once", async () => {
    const store = testStore();
    const names = Array.from({ length: 20 }, (_, place) => `w${place}-`);
    const codes = names.map(async (name) => {
      const child = spawn(process.execPath, [writer, store.folder, name, "once"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      const [code] = await once(child, "close");
      return code;
    });
    expect(await Promise.all(codes)).toEqual(names.map(() => 0));
    const { profiles } = await store.read();
    expect(Object.keys(profiles).sort()).toEqual(names.map((name) => `${name}0`).sort());
  });

  it("keeps the file whole when writers are killed", async () => {
    const store = testStore();
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [writer, store.folder, `r${round}-`]);
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
