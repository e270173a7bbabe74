import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { bundle } from "./bundle.ts";

const require = createRequire(import.meta.url);

/** Marks a Node that contains a program (Node's manual, Single executable applications). */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const resource = "NODE_SEA_BLOB";

/** Returns why no standalone executable can be made here; undefined if one can. */
export function whyNoStandalone(): string | undefined {
  const { platform, execPath, versions } = process;
  if (platform !== "linux")
    return `the standalone executable is made and tested on Linux only, not on ${platform}`;
  // Older versions apply NODE_OPTIONS, which are meant for another Node, to an executable too.
  if (Number.parseInt(versions.node, 10) < 24)
    return `the standalone executable is made with Node 24 or newer, not with ${versions.node}`;
  return nodeLicence() === undefined
    ? `the licence of Node, which must be included, is not next to ${execPath}: npm ci brings both`
    : undefined;
}

/**
 * Makes in the folder `to` the executable `pets`, which is this Node with the program in it, the licences of both,
 * and the man page; the last two come from `dist`. Throws if `whyNoStandalone` returns a reason, or if a step fails.
 */
export async function buildStandalone(dist: string, to: string): Promise<void> {
  const reason = whyNoStandalone();
  if (reason !== undefined) throw new Error(reason);
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(path.join(to, "making-"));
  try {
    const made = makeExecutable(work, await bundleMain(work));
    writeFileSync(path.join(to, "LICENSES.txt"), licences(dist));
    copyFileSync(path.join(dist, "pets.1"), path.join(to, "pets.1"));
    // A running executable can't be written to, but it can be replaced.
    renameSync(made, path.join(to, "pets"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Bundles the whole program as one script in the folder `work`, and returns its path. */
async function bundleMain(work: string): Promise<string> {
  const outfile = path.join(work, "main.cjs");
  const { outputFiles } = await bundle({ entryPoints: ["src/main.ts"], outfile });
  for (const { path: file, contents } of outputFiles) writeFileSync(file, contents);
  return outfile;
}

/** Makes an executable from this Node, in the folder `work`, that runs the script `main`; returns its path. */
function makeExecutable(work: string, main: string): string {
  const config = path.join(work, "sea.json");
  const output = path.join(work, "sea.blob");
  // NODE_OPTIONS are meant for another Node; on SIGUSR1 Node would open a debugger to everyone on this machine.
  const settings = {
    useCodeCache: true,
    execArgvExtension: "none",
    execArgv: ["--disable-sigusr1"],
  };
  writeFileSync(
    config,
    JSON.stringify({ main, output, disableExperimentalSEAWarning: true, ...settings }),
  );
  const executable = path.join(work, "pets");
  run(process.execPath, ["--experimental-sea-config", config]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  const postject = path.join(path.dirname(require.resolve("postject")), "cli.js");
  run(process.execPath, [postject, executable, resource, output, "--sentinel-fuse", fuse]);
  return executable;
}

/** Runs a program whose output matters only if it fails. */
function run(file: string, words: readonly string[]): void {
  execFileSync(file, words, { stdio: "pipe" });
}

/** Returns the licences of everything in the executable. */
function licences(dist: string): string {
  const ours = readFileSync(path.join(dist, "../LICENSE"), "utf8");
  const bundled = readFileSync(path.join(dist, "LICENSES.txt"), "utf8");
  const node = readFileSync(nodeLicence() ?? "", "utf8");
  const line = `\n${"-".repeat(80)}\n\n`;
  return [`pets\n\n${ours}`, bundled, `Node.js ${process.version}\n\n${node}`].join(line);
}

/** Returns the licence file of the Node that runs this: at the top of its archive, or in the package `node`. */
function nodeLicence(): string | undefined {
  const top = path.resolve(process.execPath, "../..");
  const inPackage = `node_modules/node-${process.platform}-${process.arch}/LICENSE`;
  return ["LICENSE", inPackage]
    .map((name) => path.join(top, name))
    .find((file) => existsSync(file));
}
