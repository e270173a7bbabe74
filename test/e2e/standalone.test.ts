import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildStandalone, whyNoStandalone } from "../../src/build/standalone.ts";
import { type Finished, finished, script, temporaryFolder } from "../support/program/program.ts";
import { startTestStore } from "../support/servers/store.ts";

const root = path.dirname(path.dirname(script));
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

const reason = whyNoStandalone();

/** The environment of a user without Node: nothing on the path, and an empty home. */
function bareEnv(): Record<string, string> {
  const home = temporaryFolder();
  const TMPDIR = path.join(home, "tmp");
  mkdirSync(TMPDIR);
  return { PATH: "", HOME: home, TMPDIR, TZ: "UTC" };
}

describe.runIf(reason === undefined)("the standalone executable", () => {
  let folder = "";
  let made = "";
  let pets = "";

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "pets-standalone-"));
    made = path.join(folder, "made");
    await buildStandalone(path.join(root, "dist"), made);
    // Without other files, in a path that a shell would interpret.
    pets = path.join(folder, "für alle's/pets");
    mkdirSync(path.dirname(pets));
    copyFileSync(path.join(made, "pets"), pets);
    for (const name of [folder, path.dirname(pets), pets]) chmodSync(name, 0o555);
  }, 120_000);
  afterAll(() => {
    chmodSync(folder, 0o755);
    chmodSync(path.dirname(pets), 0o755);
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);

  const start = (args: readonly string[], env = bareEnv()) => spawn(pets, args, { env, cwd: "/" });

  function run(args: readonly string[], env = bareEnv()): Promise<Finished> {
    const child = start(args, env);
    child.stdin.end();
    return finished(child);
  }

  it("comes with all licences, and the man page", () => {
    expect(readdirSync(made).sort()).toEqual(["LICENSES.txt", "pets", "pets.1"]);
    const licences = readFileSync(path.join(made, "LICENSES.txt"), "utf8");
    for (const name of ["pets\n", "undici ", `Node.js ${process.version}\n`, "OpenSSL"])
      expect(licences).toContain(name);
  });

  it("prints its version: through a link, without a home, with options for another Node", async () => {
    const told = { code: 0, stdout: `${version}\n`, stderr: "" };
    expect(await run(["--version"])).toMatchObject(told);
    expect(await run(["--version"], {})).toMatchObject(told);
    const NODE_OPTIONS = "--require=/nowhere --no-such-option";
    expect(await run(["--version"], { ...bareEnv(), NODE_OPTIONS })).toMatchObject(told);
    const link = path.join(temporaryFolder(), "animals");
    symlinkSync(pets, link);
    expect(spawnSync(link, ["--version"], { env: {} }).stdout.toString()).toBe(`${version}\n`);
  });

  it("adds from a file, and lists in a table", async () => {
    const store = await startTestStore();
    const env = { ...bareEnv(), PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.apiKey };
    const file = path.join(temporaryFolder(), "animals.csv");
    writeFileSync(file, "name,categoryId,status\nRex 🐕,1,available\nMiše 猫,2,sold\n");
    expect(await run(["add", "--from", file, "-q"], env)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await run(["list"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").toSorted()).toEqual([
      "",
      "1   Rex 🐕   1         available",
      "2   Miše 猫  2         sold",
      "ID  NAME     CATEGORY  STATUS",
    ]);
  });

  it("puts itself on the PATH of the command of `serve`, and returns its exit code", async () => {
    const args = ["serve", "--memory", "--seed", "5", "--", "sh", "-c"];
    const list = await run([...args, "pets list --json; exit 5"]);
    expect(list).toMatchObject({ code: 5, stderr: "" });
    expect(JSON.parse(list.stdout)).toHaveLength(5);
  });

  it("ends by a signal, and with the exit code of an error", async () => {
    expect(await run(["list", "--status", "lost"])).toMatchObject({ code: 2 });
    const child = start(["serve", "--port", "0", "--memory"]);
    child.stdout.once("data", () => child.kill("SIGTERM"));
    const { code, stderr } = await finished(child);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Saved base URL and key as profile local-\d+, now the current one\.\n$/,
    );
  });

  it("contains its compiled code, and keeps none elsewhere", async () => {
    const store = await startTestStore({ seed: 3 });
    const connection = { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.apiKey };
    const env: Record<string, string> = { ...bareEnv(), ...connection };
    for (const line of ["--version", "list", "help add", "completion zsh", "limits -q"])
      expect(await run(line.split(" "), env)).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(env.TMPDIR ?? "")).toEqual([]);
    expect(readdirSync(env.HOME ?? "")).not.toContain(".cache");
  });
});

it.runIf(reason !== undefined)(`no standalone executable is made: ${reason}`, async () => {
  await expect(buildStandalone(path.join(root, "dist"), temporaryFolder())).rejects.toThrow(reason);
});
