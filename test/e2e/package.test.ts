import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { freshEnv, runOffline } from "../support/program/npm.ts";
import {
  asOther,
  canBeOther,
  folderOfOther,
  nodeForAll,
  reachableTmpdir,
} from "../support/program/other-user.ts";
import { type Finished, script, temporaryFolder } from "../support/program/program.ts";

const root = path.dirname(path.dirname(script));
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const { version } = manifest;

/** The output of `npm pack --json`. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Packs `cwd` into the folder `to`; `flags` are further flags of `npm pack`. */
async function pack(cwd: string, to: string, flags: readonly string[] = []): Promise<Packed> {
  const env = freshEnv(to);
  const words = ["npm", "pack", "--json", "--pack-destination", to, ...flags];
  const { code, stdout, stderr } = await runOffline(words, { cwd, env });
  if (code !== 0) throw new Error(`npm pack: ${code}: ${stderr}`);
  // The output of the build comes before it.
  const told: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [packed] = Object.values(told ?? {});
  return packed;
}

/** Runs an installed `pets` by its shebang line. */
function run(file: string, args: readonly string[], env: Record<string, string>, cwd?: string) {
  return spawnSync(file, args, { env, encoding: "utf8", ...(cwd !== undefined && { cwd }) });
}

const listFive = ["serve", "--memory", "--seed", "5", "--", "pets", "list", "--json"];

/** Returns what npm complains about; some versions also print what they run. */
const complaint = /^npm (?:warn|error)/m;

describe.runIf(hasProgram("npm") && process.platform !== "win32")("the npm package", () => {
  let folder = "";
  let tarball = "";
  let packed: Packed;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(reachableTmpdir, "pets-package-"));
    // The program was built before the tests; building it again would remove it while others use it.
    packed = await pack(root, folder, ["--ignore-scripts"]);
    tarball = path.join(folder, packed.filename);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("contains only the program, its licences and what a reader needs", () => {
    const built = readdirSync(path.join(root, "dist")).filter(
      (name) => name !== "meta.json" && name !== "standalone",
    );
    expect(packed.files.map((file) => file.path).sort()).toEqual(
      ["CHANGELOG.md", "LICENSE", "README.md", "bin/package.json", "bin/pets.js", "package.json"]
        .concat(built.map((name) => `dist/${name}`))
        .sort(),
    );
    // A fifth of it is source maps; half is the detector of encodings, which few ever load.
    expect(packed.size).toBeLessThan(1_700_000);
    expect(packed.unpackedSize).toBeLessThan(4_200_000);
  });

  it("runs on every system: an executable whose first line has no options", () => {
    const { mode } = packed.files.find((file) => file.path === "bin/pets.js") ?? { mode: 0 };
    // On installation, npm makes a command executable for other users too.
    expect(mode & 0o100).toBe(0o100);
    const text = readFileSync(path.join(root, "bin/pets.js"), "utf8");
    expect(text.slice(0, text.indexOf("\n"))).toBe("#!/usr/bin/env node");
  });

  it("needs no other package, and runs nothing on installation", () => {
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"])
      expect(manifest).not.toHaveProperty(kind);
    // npm asks users who install a tarball to allow `prepare` as well.
    for (const name of ["preinstall", "install", "postinstall", "prepare"])
      expect(manifest.scripts).not.toHaveProperty(name);
  });

  it("is built when it is packed, without touching the standalone executable", async () => {
    const clone = path.join(temporaryFolder(), "clone");
    const sources = "package.json tsconfig.json bin src README.md LICENSE CHANGELOG.md".split(" ");
    for (const name of sources)
      cpSync(path.join(root, name), path.join(clone, name), { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
    const executable = path.join(clone, "dist/standalone/pets");
    mkdirSync(path.dirname(executable), { recursive: true });
    writeFileSync(executable, "built before");
    const fresh = await pack(clone, temporaryFolder(), ["--dry-run"]);
    expect(readFileSync(executable, "utf8")).toBe("built before");
    expect(fresh.files.map((file) => file.path).sort()).toEqual(
      packed.files.map((file) => file.path).sort(),
    );
  });

  it("installs silently into a folder, and runs there by npx", async () => {
    const [env, app] = [freshEnv(), temporaryFolder()];
    const options = { cwd: app, env };
    const install = await runOffline(["npm", "install", "--prefix", app, tarball], options);
    expect(install.code).toBe(0);
    expect(install.stderr).not.toMatch(complaint);
    const modules = readdirSync(path.join(app, "node_modules")).toSorted();
    expect(modules).toEqual([".bin", ".package-lock.json", "pets"]);
    const told = await runOffline(["npx", "--offline", "pets", "--version"], options);
    expect(told).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  describe("installed for all users", () => {
    let installed: Finished;
    let command = "";
    let own = "";

    beforeAll(async () => {
      // A path that a shell, a URL and a module specifier each interpret differently.
      const place = path.join(folder, "für alle's %41 &1");
      command = path.join(place, "bin/pets");
      own = path.join(place, "lib/node_modules/pets");
      mkdirSync(place);
      for (const each of [folder, place]) chmodSync(each, 0o755);
      const options = { cwd: folder, env: freshEnv(folder) };
      const words = ["npm", "install", "--global", "--prefix", place, tarball];
      // Only this umask makes an installation readable for all.
      installed = await runOffline(["sh", "-c", 'umask 022; exec "$@"', "sh", ...words], options);
    });

    it("was installed silently, runs, and puts itself on the PATH of the command of `serve`", () => {
      expect(installed.code).toBe(0);
      expect(installed.stderr).not.toMatch(complaint);
      const list = run(command, listFive, freshEnv());
      expect(list).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(list.stdout)).toHaveLength(5);
    });

    it("includes its man page, which npm before 12 links for man", () => {
      const major = Number.parseInt(run("npm", ["--version"], freshEnv()).stdout, 10);
      const share = path.join(path.dirname(command), "../share/man/man1/pets.1");
      const page = major < 12 ? share : path.join(own, "dist/pets.1");
      expect(readFileSync(page, "utf8")).toMatch(/^\.TH PETS 1 /m);
    });

    it.runIf(canBeOther)("runs for a user who does not own it", () => {
      const [HOME, TMPDIR] = [folderOfOther(), folderOfOther()];
      const PATH = `${path.dirname(nodeForAll())}:${process.env.PATH}`;
      const [setpriv, ...words] = asOther;
      const list = run(setpriv, [...words, command, ...listFive], { PATH, HOME, TMPDIR });
      expect(list).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(list.stdout)).toHaveLength(5);
    });
  });
});
