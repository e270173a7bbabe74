import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { CodeSplittingNameFunction } from "rolldown";
import { createProgram } from "../commands/index.ts";
import { bundle, page, root, version } from "./bundle.ts";
import { bundledLicences } from "./licences.ts";

/**
 * The files of `dist`: name → its first modules. Each has all that these import at once and no earlier one has; the
 * rest, packages above all that few commands load, is in `extra`.
 */
const chunks = {
  "compile-cache": ["src/platform/compile-cache.ts"],
  main: ["src/main.ts"],
  cli: ["src/cli/run-command.ts"],
  help: ["src/help/json.ts", "src/help/topics/index.ts", "src/completion/scripts/index.ts"],
  client: [
    "src/client/pets-client.ts",
    "src/client/local-store.ts",
    "src/rate-limiter/open-limiter.ts",
    "src/output/formats/table.ts",
    "src/output/verbose.ts",
    "src/output/wait-notice.ts",
    "node_modules/chalk/source/index.js",
  ],
  profiles: ["src/config/profiles/store.ts"],
  imports: ["src/commands/add-from/import-file.ts", "src/commands/imports/recorded-imports.ts"],
  workbook: ["src/imports/input/workbook/workbook.ts"],
  questions: ["src/commands/add-from/guided.ts", "src/platform/prompts.ts"],
  serve: [
    "src/commands/serve/run-serve.ts",
    "src/commands/keys/run-keys.ts",
    "src/commands/store/steer-store.ts",
    "src/server/storage/sqlite/index.ts",
    "src/server/storage/postgres/index.ts",
    "src/server/page/html.ts",
    "src/platform/key-command.ts",
  ],
  encodings: ["src/imports/input/encodings.ts"],
};

/**
 * Makes V8 compile all functions of a chunk that another one loads, as Node's compile cache keeps no others. Only ours:
 * V8 discards the compiled code of Node's own modules when its flags differ.
 */
const eagerRequire = `{const node=require,set=(flag)=>node("node:v8").setFlagsFromString(flag);
require=(id)=>{if(!/^\\.\\/(?!compile-cache)/.test(id)||!node("node:module").getCompileCacheDir())return node(id);
set("--no-lazy");try{return node(id)}finally{set("--lazy")}}}`;
const resetFlags = 'require("node:v8").setFlagsFromString("--lazy");';

const names = new Map<string, string>();
const chunkOf: CodeSplittingNameFunction = (module, context) => {
  const add = (id: string, name: string): void => {
    if (names.has(id)) return;
    names.set(id, name);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, name);
  };
  if (names.size === 0)
    for (const [name, first] of Object.entries(chunks))
      for (const file of first) add(path.join(root, file), name);
  return names.get(module) ?? "extra";
};

const built = await bundle(
  { "compile-cache": "src/platform/compile-cache.ts", main: "src/main.ts" },
  {
    intro: ({ isEntry }) => (isEntry ? eagerRequire : resetFlags + eagerRequire),
    sourcemap: true,
    sourcemapExcludeSources: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunkOf, debugName: "chunk" }],
    },
  },
);
const modulesOf = Object.fromEntries(
  built.map(({ fileName, modules }) => [
    fileName,
    Object.entries(modules).flatMap(([id, { renderedLength }]) =>
      renderedLength > 0 ? path.relative(root, id) : [],
    ),
  ]),
);
const pageModules = page.modules.map((id) => path.relative(root, id));
// The help topics are Markdown, which Node imports through these hooks.
await import("./source-hooks.ts");
const { manPage } = await import("./man.ts");

const files = new Map<string, string>([
  ...built.flatMap(({ fileName, code, map }): [string, string][] => [
    [fileName, code],
    [`${fileName}.map`, String(map)],
  ]),
  // What is in which file, for the tests.
  ["meta.json", JSON.stringify(modulesOf)],
  ["pets.1", await manPage(createProgram(), version)],
  ["LICENSES.txt", bundledLicences(root, [...Object.values(modulesOf).flat(), ...pageModules])],
]);

const dist = path.join(root, "dist");
mkdirSync(dist, { recursive: true });
const now = new Date();
for (const [name, content] of files) {
  const file = path.join(dist, name);
  // A program that starts meanwhile must not find half of a file.
  if (existsSync(file) && readFileSync(file, "utf8") === content) utimesSync(file, now, now);
  else writeFileSync(file, content);
}
for (const name of readdirSync(dist)) {
  // The standalone executable is built separately.
  if (!files.has(name) && name !== "standalone") rmSync(path.join(dist, name), { recursive: true });
}
