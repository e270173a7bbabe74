import { spawn } from "node:child_process";
import { once } from "node:events";
import {
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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/program/program.ts";
import {
  modeOf,
  profileWriter,
  shop,
  storeHolding,
  testStore,
  withShop,
} from "../support/profile-store.ts";

describe("readProfileFile", () => {
  it("creates nothing if there is no file", async () => {
    const store = testStore();
    expect(await store.read()).toEqual({ profiles: {} });
    expect(existsSync(path.dirname(store.folder))).toBe(false);
  });

  it("finds no profiles if the folder is a file", async () => {
    expect(await testStore({ folder: "/dev/null/pets" }).read()).toEqual({ profiles: {} });
  });

  it.each<[string, string, object]>([
    ["an empty object", "{}", { profiles: {} }],
    ["a byte-order mark", '\uFEFF{"current":"a"}', { current: "a", profiles: {} }],
    [
      "unknown fields",
      '{"v":2,"profiles":{"a":{"baseUrl":"x","note":1}}}',
      { v: 2, profiles: { a: { baseUrl: "x", note: 1 } } },
    ],
    [
      "a name that every object has",
      '{"profiles":{"constructor":{"baseUrl":"x"}}}',
      { profiles: { constructor: { baseUrl: "x" } } },
    ],
  ])("reads %s", async (_what, text, expected) => {
    const store = storeHolding(text);
    expect(await store.read()).toEqual(expected);
    expect(readdirSync(store.folder)).toEqual(["config.json"]);
  });

  it.each([
    ["an empty file", "", "it is not JSON"],
    ["half a file", '{"profiles":{"a":{"apiKey":"secret-k', "it is not JSON"],
    ["text around a key", '{"apiKey": secret-key}', "it is not JSON"],
    ["null", "null", "not a JSON object"],
    ["a list", "[]", "not a JSON object"],
    ["text", '"secret-key"', "not a JSON object"],
    ["profiles that are a list", '{"profiles":[]}', "`profiles` is not an object"],
    ["profiles that are null", '{"profiles":null}', "`profiles` is not an object"],
    ["a current that is not text", '{"current":7}', "`current` is not text"],
    ["a profile that is null", '{"profiles":{"a":null}}', 'profile "a" is not an object'],
    ["a profile without base URL", '{"profiles":{"a":{"apiKey":"secret-key"}}}', "`baseUrl`"],
    ["a base URL that is not text", '{"profiles":{"a":{"baseUrl":1}}}', "`baseUrl`"],
    ["a key that is not text", '{"profiles":{"a":{"baseUrl":"x","apiKey":1}}}', "`apiKey`"],
    [
      "a key with a line end",
      '{"profiles":{"a":{"baseUrl":"x","apiKey":"secret\\nkey"}}}',
      "`apiKey`",
    ],
    ["a name that is not allowed", '{"profiles":{"a b":{"baseUrl":"x"}}}', "name"],
    ["__proto__", '{"profiles":{"__proto__":{"baseUrl":"x"}}}', 'profile "__proto__"'],
  ])("rejects %s and leaves the file unchanged", async (_what, text, problem) => {
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

  it("rejects what is not UTF-8 and leaves it unchanged", async () => {
    const store = storeHolding("");
    const bytes = Buffer.from('{"profiles":{"a":{"baseUrl":"\u00e9"}}}', "latin1");
    writeFileSync(store.file, bytes);
    await expect(store.read()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("UTF-8"),
    });
    expect(readFileSync(store.file)).toEqual(bytes);
  });

  it.each<[string, (file: string) => void]>([
    ["a folder", (file) => mkdirSync(file)],
    ["a device", (file) => symlinkSync("/dev/zero", file)],
    ["a link to itself", (file) => symlinkSync(file, file)],
  ])("rejects %s", async (_what, make) => {
    const store = testStore();
    mkdirSync(store.folder, { recursive: true });
    make(store.file);
    await expect(store.read()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(store.file),
    });
    await expect(store.update(withShop)).rejects.toMatchObject({ exitCode: 1 });
  });

  it.each([0o644, 0o640, 0o604, 0o666, 0o620])(
    "changes the mode %o to 600, and warns once",
    async (mode) => {
      const store = storeHolding('{"current":"a"}', mode);
      expect(await store.read()).toEqual({ current: "a", profiles: {} });
      expect(modeOf(store.file)).toBe("600");
      expect(store.warnings).toEqual([expect.stringContaining(store.file)]);
      await store.read();
      expect(store.warnings).toHaveLength(1);
    },
  );

  it.each<[string, NodeJS.Platform, number]>([
    ["a mode that is private", "linux", 0o400],
    ["Windows, which has no modes", "win32", 0o666],
  ])("leaves %s unchanged", async (_what, platform, mode) => {
    const { folder, file } = storeHolding("{}", mode);
    const store = testStore({ folder, platform });
    await store.read();
    expect([modeOf(file), store.warnings]).toEqual([mode.toString(8), []]);
  });
});

describe("loadProfileWriter", () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    delete process.env.SNAP;
  });

  it("creates file and folder readable by the owner only, whatever the umask", async () => {
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

  it("replaces the file as a whole, even if SNAP is set", async () => {
    process.env.SNAP = "/snap/code/1";
    const store = storeHolding("{}");
    const { ino } = statSync(store.file);
    await store.update(withShop);
    expect(statSync(store.file).ino).not.toBe(ino);
    expect(modeOf(store.file)).toBe("600");
  });

  it("removes what killed writers left, and nothing else", async () => {
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
    // Limits files to 512 or 1024 bytes, so that a write is short, as on a disk that is nearly full.
    const limited = 'ulimit -f 1; exec "$@"';
    const command = [process.execPath, profileWriter, store.folder, "more", "once"];
    const child = spawn("sh", ["-c", limited, "sh", ...command]);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = await once(child, "close");
    expect(code).not.toBe(0);
    expect(said).toContain(`${store.file} cannot be written: not all of it`);
    expect(readFileSync(store.file, "utf8")).toBe(before);
  });
});
