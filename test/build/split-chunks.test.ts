import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { beforeEach, describe, expect, it } from "vitest";
import { chunkEntries, splitChunks } from "../../src/build/split-chunks.ts";
import { temporaryFolder } from "../support/program/program.ts";

const root = path.resolve(import.meta.dirname, "../..");

let folder = "";

/** Writes `files` and bundles main.ts, with heavy.ts as a separate chunk. */
async function bundle(
  files: Record<string, string>,
  shared: Record<string, string> = {},
): Promise<void> {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const chunks = { heavy: path.relative(root, path.join(folder, "heavy.ts")) };
  await build({
    absWorkingDir: root,
    entryPoints: { main: path.join(folder, "main.ts"), ...shared, ...chunkEntries(chunks) },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    supported: { "dynamic-import": false },
    platform: "node",
    plugins: [splitChunks(root, chunks, shared)],
  });
}

/** Runs main.cjs with or without Node's compile cache, and returns its output. */
function run(env: Record<string, string> = {}): string {
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(folder, "main.cjs")], {
    env,
    encoding: "utf8",
  });
  return stdout + stderr;
}

const heavy = `
  console.log("loaded");
  export const part = "part";
  export default function whole() { return "whole"; }`;

beforeEach(() => {
  folder = temporaryFolder();
});

describe("splitChunks", () => {
  it("writes a chunk to a separate file", async () => {
    await bundle({ "main.ts": 'void import("./heavy.ts");', "heavy.ts": heavy });
    const made = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
    expect(made.sort()).toEqual(["heavy.cjs", "main.cjs"]);
  });

  it("loads a shared module once, for the program and its chunks", async () => {
    const shared = { state: path.relative(root, path.join(folder, "state.ts")) };
    await bundle(
      {
        "main.ts": `
          import { State } from "./state.ts";
          void import("./heavy.ts").then(({ made }) => console.log(made instanceof State));`,
        "heavy.ts": 'import { State } from "./state.ts"; export const made = new State();',
        "state.ts": 'console.log("state"); export class State {}',
      },
      shared,
    );
    expect(run()).toBe("state\ntrue\n");
  });

  it("loads a chunk once, when its import() runs", async () => {
    await bundle({
      "main.ts": `
        console.log("start");
        setTimeout(async () => {
          await import("./heavy.ts");
          const { part, default: whole } = await import("./heavy.ts");
          console.log(part, whole());
        }, 1);`,
      "heavy.ts": heavy,
    });
    expect(run()).toBe("start\nloaded\npart whole\n");
  });

  it("bundles a chunk that is imported statically, even within itself", async () => {
    await bundle({
      "main.ts": 'import whole, { part } from "./heavy.ts"; console.log(part, whole());',
      "heavy.ts": `import "./other.ts"; ${heavy}`,
      "other.ts": 'import whole from "./heavy.ts"; export const more = () => whole();',
    });
    expect(run()).toBe("loaded\npart whole\n");
  });

  it("compiles a chunk eagerly if the compile cache is on, but not what it loads", async () => {
    await bundle({ "main.ts": 'void import("./heavy.ts");', "heavy.ts": heavy });
    const record = path.join(folder, "record-flags.cjs");
    writeFileSync(record, 'require("node:v8").setFlagsFromString = (flag) => console.log(flag);');
    const NODE_OPTIONS = `--require=${record}`;
    const NODE_COMPILE_CACHE = path.join(folder, "cache");
    expect(run({ NODE_OPTIONS, NODE_COMPILE_CACHE })).toBe("--no-lazy\n--lazy\nloaded\n");
    expect(run({ NODE_OPTIONS })).toBe("loaded\n");
  });
});
