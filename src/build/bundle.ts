import { readFileSync } from "node:fs";
import path from "node:path";
import {
  type InputOptions,
  type LogLevel,
  type OutputOptions,
  type Plugin,
  rolldown,
  type RolldownLog,
} from "rolldown";
import { createProgram } from "../commands/index.ts";
import { commandHelp } from "../help/command-help.ts";
import { type ExcludedModule, excludeModules } from "./exclude-modules.ts";

/** The folder of package.json. */
export const root = path.resolve(import.meta.dirname, "../..");

export const { version }: { version: string } = JSON.parse(
  readFileSync(`${root}/package.json`, "utf8"),
);

/** Lets a warning, such as an import that can't be resolved, fail a build. */
function onLog(level: LogLevel, { message }: RolldownLog): void {
  if (level === "warn") throw new Error(message);
}

const withoutIndent = (text: string): string => text.replaceAll(/\n\s*/g, "\n");

/** Builds the page of `pets serve`: one HTML file that contains its script, of these `modules`, and its style. */
async function buildPage() {
  const folder = path.join(root, "src/server/page/app");
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  const build = await rolldown({
    cwd: root,
    input: path.join(folder, "main.tsx"),
    tsconfig: path.join(folder, "tsconfig.json"),
    transform: { target: "es2024" },
    onLog,
  });
  const { output } = await build.generate({ format: "iife", minify: true, comments: false });
  // Text inside an HTML element may not contain what ends it.
  const [{ code, modules }] = output;
  const script = code.trim().replaceAll("</", String.raw`<\/`);
  const html = withoutIndent(read("page.html"))
    .replace("/* style */", () => withoutIndent(read("style.css")).trim())
    .replace("/* script */", () => script);
  return { html, modules: Object.keys(modules) };
}

export const page = await buildPage();

/** Returns what stands in the program for names that no module declares. */
export function builtValues() {
  return {
    PAGE_HTML: page.html,
    PETS_VERSION: version,
    PETS_HELP: commandHelp(createProgram()),
  };
}

/**
 * Modules that packages import and pets does not need: conf gets a folder and neither a schema nor migrations;
 * no subcommand is a separate program; pg's own protocol is enough; HTTP/2 is off; bodies are text, never
 * forms; of undici only the Pool is used; commands are sent to one Redis server as words.
 * Exit hooks would send every signal again: one Ctrl-C would count as two, and end pets without a message.
 */
const excluded: readonly ExcludedModule[] = [
  { importer: /\/conf\//, path: /^ajv(?:-formats$|\/)/ },
  { importer: /\/conf\//, path: /^semver$/ },
  { importer: /\/conf\//, path: /^env-paths$/ },
  { importer: /\/(?:conf|atomically)\//, path: /^when-exit$/, call: "ignore" },
  { importer: /\/@inquirer\//, path: /^signal-exit$/, call: "subscribe" },
  { importer: /\/commander\//, path: /^node:child_process$/ },
  { importer: /\/pg\//, path: /^\.\/native$/ },
  { importer: /\/undici\//, path: /\/client-h2\.js$/ },
  { importer: /\/undici\//, path: /\/web\/(?:fetch|webidl)/ },
  {
    importer: /\/undici\/index\.js$/,
    path: /^\.\/lib\/(?!core\/|dispatcher\/(?:client|dispatcher|pool)$)/,
    call: "ignore",
  },
  { importer: /\/@redis\/client\//, path: /\/(?:cluster|sentinel|commands|command-metadata)$/ },
  { importer: /\/@redis\/client\//, path: /\/(?:legacy-mode|pool|cache|metrics|GEOSEARCH_WITH)$/ },
  { importer: /\/@redis\/client\//, path: /\/enterprise-maintenance-manager$/, call: "ignore" },
];

/** Gives cli-table3 our own measure of cells, in place of its old string-width. */
const cellWidth: Plugin = {
  name: "cell-width",
  resolveId: (id, importer) =>
    id === "string-width" && importer?.includes("/cli-table3/")
      ? `${root}/src/output/cell-width.cjs`
      : undefined,
};

/** Bundles `input` as CommonJS, with everything that it imports. Throws when something can't be resolved. */
export async function bundle(input: InputOptions["input"] & {}, output: OutputOptions = {}) {
  const build = await rolldown({
    cwd: root,
    input,
    // An ES import of node:http reads all its getters, which loads fetch; `require` does not.
    platform: "node",
    moduleTypes: Object.fromEntries(
      [".bash", ".zsh", ".fish", ".ps1", ".md"].map((ending) => [ending, "text"]),
    ),
    transform: {
      target: "node22.19",
      define: {
        ...Object.fromEntries(
          Object.entries(builtValues()).map(([name, text]) => [name, JSON.stringify(text)]),
        ),
        // With this, undici leaves out its second, experimental parser.
        esbuildDetection: "true",
      },
    },
    // Several modules are loaded late by one command and at once by another.
    checks: { ineffectiveDynamicImport: false },
    // The Redis client uses it if it is there.
    external: ["@node-rs/xxhash"],
    onLog,
    preserveEntrySignatures: "allow-extension",
    plugins: [cellWidth, excludeModules(excluded)],
  });
  const { output: files } = await build.generate({
    format: "cjs",
    dynamicImportInCjs: false,
    minify: true,
    comments: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    ...output,
  });
  return files.filter((file) => file.type === "chunk");
}
