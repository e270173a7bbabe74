import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { commands } from "../commands/index.ts";
import { hashOf } from "./hash.ts";
import { makeExecutable } from "./executable.ts";
import { buildStart } from "./start.ts";
import { warmUp } from "./warm-up.ts";

/** Why no standalone executable can be made here; undefined where one can. */
export function whyNoStandalone(): string | undefined {
  const { platform, execPath, versions } = process;
  if (platform !== "linux") {
    const more =
      platform === "darwin" ? "; on macOS it would have to be signed (codesign) too" : "";
    return `the standalone executable is made and tested on Linux only, not on ${platform}${more}`;
  }
  // Older ones heed NODE_OPTIONS in an executable, which are meant for another Node.
  if (Number.parseInt(versions.node, 10) < 24)
    return `the standalone executable is made with Node 24 or newer, not with ${versions.node}`;
  return nodeLicence() === undefined
    ? `the licence of Node, which has to go along, is not beside ${execPath}: npm ci brings both`
    : undefined;
}

/**
 * Makes in the folder `to` the executable `pets`, which is this Node with the built program of `root` in
 * it, the licences of both, and the man page. Throws where `whyNoStandalone` tells a reason, and where a
 * step fails.
 */
export async function buildStandalone(root: string, to: string): Promise<void> {
  const reason = whyNoStandalone();
  if (reason !== undefined) throw new Error(reason);
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(path.join(to, "making-"));
  try {
    const dist = path.join(root, "dist");
    const assets = { ...programFiles(dist), ...(await compiledFiles(root, work)) };
    const id = hashOf(Object.values(assets).map((file) => readFileSync(file)));
    const main = path.join(work, "main.cjs");
    writeFileSync(main, await buildStart(root, "standalone", id));
    const made = makeExecutable(work, main, assets);
    writeFileSync(path.join(to, "LICENSES.txt"), licences(dist));
    copyFileSync(path.join(dist, "pets.1"), path.join(to, "pets.1"));
    // One that runs can't be written to, and goes on with the old one.
    renameSync(made, path.join(to, "pets"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The files that the program loads: name → path. */
function programFiles(dist: string): Record<string, string> {
  const names = readdirSync(dist).filter((name) => /\.(?:js|wasm)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, path.join(dist, name)]));
}

/** Files with what V8 compiles for each command, in the folder `work`: name → path. */
async function compiledFiles(root: string, work: string): Promise<Record<string, string>> {
  // `pets` stands for the help and the version.
  const packs = await warmUp(root, ["pets", ...commands.map(({ name }) => name)]);
  return Object.fromEntries(
    [...packs].map(([command, pack]) => {
      const file = path.join(work, `${command}.pack`);
      writeFileSync(file, pack);
      return [`compiled/${command}`, file];
    }),
  );
}

/** The licences of all that is in the executable. */
function licences(dist: string): string {
  const ours = readFileSync(path.join(dist, "../LICENSE"), "utf8");
  const bundled = readFileSync(path.join(dist, "LICENSES.txt"), "utf8");
  const node = readFileSync(nodeLicence() ?? "", "utf8");
  const line = `\n${"-".repeat(80)}\n\n`;
  return [`pets\n\n${ours}`, bundled, `Node.js ${process.version}\n\n${node}`].join(line);
}

/** The licence text of the Node that runs this: at the top of its archive, or in the package `node`. */
function nodeLicence(): string | undefined {
  const top = path.resolve(process.execPath, "../..");
  const inPackage = `node_modules/node-${process.platform}-${process.arch}/LICENSE`;
  return ["LICENSE", inPackage]
    .map((name) => path.join(top, name))
    .find((file) => existsSync(file));
}
