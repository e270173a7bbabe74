import { readFileSync } from "node:fs";
import path from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { createProgram } from "../commands/index.ts";
import { commandHelp } from "../help/render-text.ts";
import { type ExcludedModule, excludeModules } from "./exclude-modules.ts";
import { buildPage } from "./page.ts";

/** The folder of package.json. */
export const root = path.resolve(import.meta.dirname, "../..");

const manifest: unknown = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
/** The facts about the program in package.json. */
export const { version, bugs }: { version: string; bugs: string } = Object(manifest);

/**
 * Modules that packages import and pets does not need: conf gets a folder and neither a schema nor migrations;
 * no subcommand is a separate program; pg's own protocol is enough; HTTP/2 is off; bodies are text, never
 * forms; of undici only the Pool is used; commands are sent to one Redis server as words
 * (test/bench/limiter/fleet-cpu.ts). Exit hooks would send every signal again: one Ctrl-C would count as two, and end
 * pets without a message.
 */
const excluded: readonly ExcludedModule[] = [
  { importer: /\/conf\//, path: /^ajv(?:-formats$|\/)/ },
  { importer: /\/conf\//, path: /^semver$/ },
  { importer: /\/conf\//, path: /^env-paths$/ },
  { importer: /\/(?:conf|atomically)\//, path: /^when-exit$/, call: "ignore" },
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

/** Gives cli-table3 our own measure of cells in place of its old string-width. */
const newCellWidth: Plugin = {
  name: "cell-width",
  setup(builder) {
    builder.onResolve({ filter: /^string-width$/ }, ({ importer }) =>
      importer.includes("/cli-table3/") ? { path: `${root}/src/vendor/cell-width.cjs` } : undefined,
    );
  },
};

/** The input and output files of a bundle. */
type Files = Pick<BuildOptions, "entryPoints" | "outdir" | "outfile" | "outExtension" | "plugins">;

/** Bundles the program as CommonJS, with its page. Throws when esbuild fails. */
export async function bundle(files: Files): Promise<BuildResult<{ write: false; metafile: true }>> {
  const page = await buildPage(root);
  const result = await build({
    ...files,
    absWorkingDir: root,
    bundle: true,
    write: false,
    // An ES import of node:http reads all its getters, which loads fetch; `require` does not.
    format: "cjs",
    supported: { "dynamic-import": false },
    platform: "node",
    loader: { ".bash": "text", ".zsh": "text", ".fish": "text", ".ps1": "text", ".md": "text" },
    target: "node22.19",
    minify: true,
    legalComments: "none",
    define: {
      PAGE_HTML: JSON.stringify(page.html),
      PETS_VERSION: JSON.stringify(version),
      PETS_HELP: JSON.stringify(commandHelp(createProgram(version))),
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
      // With this, undici leaves out its second, experimental parser.
      esbuildDetection: "true",
    },
    plugins: [newCellWidth, excludeModules(excluded), ...(files.plugins ?? [])],
    metafile: true,
    logLevel: "warning",
  });
  Object.assign(result.metafile.inputs, page.inputs);
  return result;
}
