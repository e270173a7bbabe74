import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInTime } from "../support/command/world.ts";
import {
  asOther,
  canBeOther,
  folderOfOther,
  reachableTmpdir,
} from "../support/program/other-user.ts";
import { cleanEnv, finished, startPets, temporaryFolder } from "../support/program/program.ts";
import { startTestStore } from "../support/servers/store.ts";

/** Files of root's that nobody else may change. */
function rootsOwn(): string {
  const folder = mkdtempSync(path.join(reachableTmpdir, "pets-root-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, "file"), '{"profiles":{}}', { mode: 0o644 });
  writeFileSync(path.join(folder, "empty"), "", { mode: 0o644 });
  return folder;
}

/** Everything that an attack could have changed. */
function contentOf(folder: string): unknown {
  const { uid, mode } = statSync(folder);
  const files = readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    const { uid: owner, mode: permissions } = lstatSync(file);
    return [name, owner, permissions, readFileSync(file, "utf8")];
  });
  return [uid, mode, files];
}

/** Makes a home whose owner is another user; `hidden` is one that the user can't reach at the moment. */
function homeOfOther(reach: "reachable" | "hidden"): string {
  if (reach === "reachable") return folderOfOther();
  const home = path.join(temporaryFolder(), "home");
  mkdirSync(home);
  chownSync(home, 54_321, 54_321);
  chmodSync(path.dirname(home), 0o700);
  return home;
}

function makeOwn(home: string, ...names: readonly string[]): string {
  return names.reduce((at, name) => {
    const folder = path.join(at, name);
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 54_321, 54_321);
    return folder;
  }, home);
}

const homeEnv = (home: string): Record<string, string> => ({
  ...cleanEnv(home),
  XDG_CACHE_HOME: path.join(home, ".cache"),
});

/** Runs `pets serve` on its own data until it is ready or has failed. */
async function stoppedServe(env: Record<string, string>): Promise<void> {
  const child = startPets(["serve", "--port", "0"], { env });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  await finished(child);
}

describe.runIf(canBeOther)("root with the HOME of a user", () => {
  it.each(["reachable", "hidden"] as const)(
    "gives the user of a %s home what it makes",
    async (reach) => {
      const home = homeOfOther(reach);
      const store = await startTestStore();
      const env = homeEnv(home);
      const login = ["login", "--base-url", store.baseUrl, "--no-verify"];
      const first = await runInTime(login, { env, input: store.apiKey });
      const second = await runInTime(["list", "--json"], { env });
      const third = await runInTime(["profile", "use", "default"], { env });
      expect([first, second, third].map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, expect.any(String)],
        [0, ""],
        [0, expect.any(String)],
      ]);
      await stoppedServe(env);
      const made = readdirSync(home, { recursive: true, encoding: "utf8" });
      expect(made).toContain(".config/pets/config.json");
      expect(made.some((name) => name.startsWith(".local/state/pets/gate/"))).toBe(true);
      const strange = made.filter((name) => lstatSync(path.join(home, name)).uid !== 54_321);
      expect(strange).toEqual([]);
    },
  );

  /** Path of a link in the home → what it names among root's files. */
  const sets: readonly Readonly<Record<string, string>>[] = [
    {
      ".config/pets/config.json.next": "file",
      ".config/pets/config.lock": "new",
      ".local/state/pets/gate": "",
      ".cache/pets": "",
      ".local/share/pets": "",
    },
    { ".local/share/pets/store.db": "empty", ".local/state/pets/imports.db": "empty" },
    { ".local/share/pets/store.db.lock": "new", ".local/state/pets/imports.db": "new" },
    { ".config/pets/config.json": "file", ".config/pets/config.lock": "empty" },
    { ".config/pets/config.json": "new", ".local/state/pets": "" },
    { ".config/pets": "", ".local": "" },
    { ".config": "" },
  ];
  it.each(
    (["reachable", "hidden"] as const).flatMap((reach) =>
      sets.map((links) => [reach, links] as const),
    ),
  )("follows no link in a %s home: %j", async (reach, links) => {
    const home = homeOfOther(reach);
    const roots = rootsOwn();
    for (const [name, target] of Object.entries(links)) {
      const names = name.split("/");
      const link = path.join(makeOwn(home, ...names.slice(0, -1)), names.at(-1) ?? "");
      symlinkSync(path.join(roots, target), link);
      lchownSync(link, 54_321, 54_321);
    }
    const before = contentOf(roots);
    const store = await startTestStore();
    const env = homeEnv(home);
    const login = ["login", "--base-url", store.baseUrl, "--no-verify"];
    await runInTime(login, { env, input: store.apiKey });
    await runInTime(["list"], {
      env: { ...env, PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.apiKey },
    });
    const file = path.join(home, "animals.ndjson");
    writeFileSync(file, '{"name":"Rex","categoryId":1}\n');
    await runInTime(["add", "--from", file], {
      env: { ...env, PETS_BASE_URL: store.baseUrl, PETS_API_KEY: store.apiKey },
    });
    await stoppedServe(env);
    expect(contentOf(roots)).toEqual(before);
  });

  it("gives nothing of root's to a user who swaps files for links meanwhile", async () => {
    const home = homeOfOther("reachable");
    const roots = rootsOwn();
    const folder = makeOwn(home, ".config", "pets");
    const profiles = {
      a: { baseUrl: "http://127.0.0.1:1/v1" },
      b: { baseUrl: "http://127.0.0.1:1/v1" },
    };
    writeFileSync(path.join(folder, "config.json"), JSON.stringify({ profiles }), { mode: 0o600 });
    chownSync(path.join(folder, "config.json"), 54_321, 54_321);
    const swap = `cd ${folder} && while :; do ln -sf ${roots}/file config.json.next; rm -f config.json.next; done`;
    const [setpriv, ...words] = asOther;
    const attacker = spawn(setpriv, [...words, "sh", "-c", swap], { stdio: "ignore" });
    onTestFinished(() => void attacker.kill("SIGKILL"));
    const before = contentOf(roots);
    for (let i = 0; i < 12; i += 1)
      await runInTime(["profile", "use", i % 2 === 0 ? "a" : "b"], { env: homeEnv(home) });
    attacker.kill("SIGKILL");
    expect(contentOf(roots)).toEqual(before);
  });
});
