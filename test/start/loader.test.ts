import { Buffer } from "node:buffer";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it, vi } from "vitest";
import { CodeCache } from "../../src/start/code-cache.ts";
import { Loader } from "../../src/start/loader.ts";
import { temporaryFolder } from "../support/program.ts";

const require = createRequire(import.meta.url);

const files: Record<string, string> = {
  "main.js": "exports.answer = () => require('./other.js').add(40, 2);",
  "other.js":
    "exports.runs = (globalThis.runsOfTheTest = (globalThis.runsOfTheTest ?? 0) + 1);\n" +
    "exports.add = function add(a, b) { return a + b; }; exports.never = () => 'not run';",
  "circle.js": "exports.first = 1; exports.other = require('./circle.js').first;",
  "builtin.js": "module.exports = require('node:path').posix.join(__dirname, 'x');",
  "bytes.js": "module.exports = require('./some.wasm');",
  "some.wasm": "\0asm",
  "throws.js": "throw new Error('in here');",
};

function loaderWith(cache: Pick<CodeCache, "compiled">): Loader {
  return new Loader({
    folder: "/dist",
    require,
    readText: (name) =>
      `(function(exports,require,module,__filename,__dirname){${files[name] ?? ""}\n})`,
    readBytes: (name) => Buffer.from(files[name] ?? ""),
    compiled: (name) => cache.compiled(name),
  });
}

const nothing = { compiled: () => undefined };

describe("Loader", () => {
  it("runs a module when it is first asked for, and once", () => {
    Reflect.deleteProperty(globalThis, "runsOfTheTest");
    const loader = loaderWith(nothing);
    const main = loader.load("main.js") as { answer(): number };
    expect(Reflect.get(globalThis, "runsOfTheTest")).toBeUndefined();
    expect([main.answer(), main.answer()]).toEqual([42, 42]);
    expect(Reflect.get(globalThis, "runsOfTheTest")).toBe(1);
    expect(loader.load("main.js")).toBe(main);
  });

  it.each([
    ["circle.js", { first: 1, other: 1 }],
    ["builtin.js", "/dist/x"],
    ["bytes.js", Buffer.from("\0asm")],
  ])("%s", (name, expected) => {
    expect(loaderWith(nothing).load(name)).toEqual(expected);
  });

  it("names the file in what a module throws", () => {
    expect(() => loaderWith(nothing).load("throws.js")).toThrow(
      expect.objectContaining({ stack: expect.stringContaining("/dist/throws.js:1:") }),
    );
  });
});

/** Runs a module with the code that is kept in `file`, and keeps what it compiled. */
function run(file: string | undefined, endedWell = true, name = "main.js") {
  const cache = new CodeCache(file);
  const loader = loaderWith(cache);
  const module = loader.load(name) as { answer?(): number };
  module.answer?.();
  const known = [...loader.fresh];
  cache.keep(() => loader.compiledCode(), loader.fresh, endedWell, 1);
  return { fresh: known, cache };
}

function refuse(): never {
  throw new Error("V8 says no");
}

describe("what is compiled", () => {
  it("is taken by the next run, and V8 finds it fit", () => {
    const file = `${temporaryFolder()}/pack`;
    expect(run(file).fresh).toEqual(["main.js", "other.js"]);
    expect(run(file).fresh).toEqual([]);
  });

  it("holds what was compiled only when it ran", () => {
    // V8 remembers a text that it has compiled in this process.
    files["main.js"] += `// ${Math.random()}`;
    const loader = loaderWith(nothing);
    const main = loader.load("main.js") as { answer(): number };
    const before = loader.compiledCode().get("main.js")?.length ?? 0;
    main.answer();
    expect(loader.compiledCode().get("main.js")?.length).toBeGreaterThan(before);
  });

  it("is added to by three runs that end well, and then by what is new alone", () => {
    const file = `${temporaryFolder()}/pack`;
    expect(run(file, false).cache.isLearning).toBe(true);
    for (let count = 0; count < 3; count += 1) run(file);
    const { cache } = run(file);
    expect(cache.isLearning).toBe(false);
    const known = new CodeCache(file).compiled("main.js");
    expect(run(file, true, "circle.js").fresh).toEqual(["circle.js"]);
    const after = new CodeCache(file);
    expect(after.compiled("main.js")).toEqual(known);
    expect(after.compiled("circle.js")).toBeDefined();
  });

  it.each([undefined, "/proc/nowhere/pack", "/dev/null/pack"])(
    "is not kept in %s, without a word, nor asked for",
    (file) => {
      run(file);
      expect(run(file).fresh).toEqual(["main.js", "other.js"]);
      const compile = vi.fn<() => never>(refuse);
      new CodeCache(file).keep(compile, new Set(["main.js"]), true, 1);
      expect(compile).not.toHaveBeenCalled();
    },
  );

  it("is not kept where it can't be told, and nothing is left behind", () => {
    const folder = temporaryFolder();
    new CodeCache(`${folder}/pack`).keep(refuse, new Set(["main.js"]), true, 1);
    expect(readdirSync(folder)).toEqual([]);
  });
});
