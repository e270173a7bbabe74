import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { bundle, root } from "./bundle.ts";
import { standaloneLicences } from "./licences.ts";

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

/** Makes the executable `pets` in `to`, with the licences and the man page. Throws what `whyNoStandalone` says. */
export async function buildStandalone(dist: string, to: string): Promise<void> {
  const reason = whyNoStandalone();
  if (reason !== undefined) throw new Error(reason);
  fs.mkdirSync(to, { recursive: true });
  const work = fs.mkdtempSync(path.join(to, "making-"));
  try {
    const main = path.join(work, "main.cjs");
    const [built] = await bundle("src/main.ts", { codeSplitting: false });
    fs.writeFileSync(main, built?.code ?? "");
    const bundled = fs.readFileSync(path.join(dist, "LICENSES.txt"), "utf8");
    const node = fs.readFileSync(nodeLicence() ?? "", "utf8");
    fs.writeFileSync(path.join(to, "LICENSES.txt"), standaloneLicences(root, bundled, node));
    fs.copyFileSync(path.join(dist, "pets.1"), path.join(to, "pets.1"));
    // A running executable can't be written to, but it can be replaced.
    fs.renameSync(makeExecutable(work, main), path.join(to, "pets"));
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** Makes an executable from this Node, which runs `main`. From Node 26 on `node --build-sea` does all of this. */
function makeExecutable(work: string, main: string): string {
  const config = path.join(work, "sea.json");
  const output = path.join(work, "sea.blob");
  const executable = path.join(work, "pets");
  const settings = {
    main,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // NODE_OPTIONS are meant for another Node; on SIGUSR1 Node would open a debugger to everyone on this machine.
    execArgvExtension: "none",
    execArgv: ["--disable-sigusr1"],
  };
  fs.writeFileSync(config, JSON.stringify(settings));
  run("--experimental-sea-config", config);
  fs.copyFileSync(process.execPath, executable);
  fs.chmodSync(executable, 0o755);
  const injector = path.join(path.dirname(require.resolve("postject")), "cli.js");
  run(injector, executable, resource, output, "--sentinel-fuse", fuse);
  return executable;
}

/** Runs Node; its output matters only if it fails. */
const run = (...words: readonly string[]) =>
  execFileSync(process.execPath, words, { stdio: "pipe" });

/** Returns the licence file of the Node that runs this: at the top of its archive, or in the package `node`. */
function nodeLicence(): string | undefined {
  const top = path.resolve(process.execPath, "../..");
  const inPackage = `node_modules/node-${process.platform}-${process.arch}/LICENSE`;
  return ["LICENSE", inPackage]
    .map((name) => path.join(top, name))
    .find((file) => fs.existsSync(file));
}

// `npm run build:binary` makes dist/standalone, after `npm run build`.
if (import.meta.main) {
  const to = path.join(root, "dist/standalone");
  await buildStandalone(path.join(root, "dist"), to);
  const mebibytes = (fs.statSync(path.join(to, "pets")).size / 2 ** 20).toFixed(0);
  process.stdout.write(`${path.join(to, "pets")}: ${mebibytes} MiB\n`);
}
