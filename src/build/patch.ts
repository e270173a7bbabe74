import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { failOnUnmatched } from "./unmet.ts";

/** A change to one place of a package's file, after which it does the same in less time. */
interface Patch {
  readonly file: RegExp;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

const patches: readonly Patch[] = [
  {
    file: /\/commander\/lib\/option\.js$/,
    from: String.raw`/\p{ID_Continue}\.\.\.[>\]]$/u`,
    to: String.raw`/\w\.\.\.[>\]]$/`,
    why: "our flags are ASCII, and the set of all letters takes a millisecond to make",
  },
  {
    file: /\/commander\/lib\/command\.js$/,
    from: "const dualHelper = new DualOptions(this.options);",
    to: "if (!this.options.some((option) => option.implied)) return; const dualHelper = new DualOptions(this.options);",
    why: "without an option that implies another there is nothing to look for",
  },
  {
    file: /\/conf\/dist\/source\/index\.js$/,
    from: "\n        if (!isDeepStrictEqual(fileStore, storeWithDefaults)) {",
    to: "\n        if (false) {",
    why: "without defaults and a schema nothing is filled in, and to compare loads a part of Node",
  },
  {
    file: /\/conf\/dist\/source\/index\.js$/,
    from: "import { writeFileSync as atomicWriteFileSync } from 'atomically';",
    to: 'const atomicWriteFileSync = (...given) => require("atomically").writeFileSync(...given);',
    why: "next to no command writes",
  },
  {
    file: /\/cli-table3\/src\/utils\.js$/,
    from: "  let code = codeRegex();\n  let stripped",
    to: "  if (!/[\\n\\u001b]/.test(str)) return stringWidth(`${str}`);\n  let code = codeRegex();\n  let stripped",
    why: "it is asked four times for each cell, none of which has colours or lines in it",
  },
  {
    file: /\/cli-table3\/src\/utils\.js$/,
    from: "function colorizeLines(input) {",
    to: "function colorizeLines(input) { if (!input.some((line) => line.includes('\\u001b'))) return input;",
    why: "without colours there are none to carry from line to line",
  },
  {
    file: /\/cli-table3\/src\/cell\.js$/,
    from: "let content = utils.truncate(this.content, 10, this.truncate);",
    to: 'let content = "";',
    why: "it is for messages to who looks for faults in the library, and is made for each line",
  },
];

/** `process` is there without it. */
const processImport = /^import process from .*$/m;
/** `import fs from "node:fs"` copies every name that the module has: 0.1 ms for each import of it. */
const builtinImport = /^import (\w+) from (["']node:[\w/]+["']);$/gm;

/** So does `export { default as Client } from "undici/…"`, of packages in CommonJS. */
const defaultExport = /^export \{ default as (\w+) \} from ("(?:undici|cli-table3)[^"]*");$/gm;

/** Applies `patches`, and fails the build where a package has moved on from under one. */
export function patch(): Plugin {
  return {
    name: "patch",
    setup(build) {
      const met = new Set<Patch>();
      build.onLoad(
        {
          filter:
            /\/(?:commander\/lib|cli-table3\/src|conf\/dist\/source|(?:atomically|stubborn-fs)\/dist|src)\/[\w/-]+\.[jt]s$/,
        },
        ({ path }) => {
          // The loader of `dist` hands it over.
          if (path.endsWith("/src/builtin.ts"))
            return { contents: "export const builtin = (name) => require(name);" };
          let contents = readFileSync(path, "utf8")
            .replace(processImport, "")
            .replace(builtinImport, "const $1 = require($2);")
            .replace(defaultExport, "export const $1 = require($2);");
          for (const part of patches.filter(({ file }) => file.test(path))) {
            if (contents.split(part.from).length !== 2) continue;
            contents = contents.replace(part.from, () => part.to);
            met.add(part);
          }
          return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
        },
      );
      failOnUnmatched(
        build,
        patches,
        met,
        ({ file, from }) => `${file} has no single ${from}, which is to be patched`,
      );
    },
  };
}
