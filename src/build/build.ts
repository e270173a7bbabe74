import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createProgram } from "../commands/index.ts";
import { manPage, releaseDate } from "../help/man/page.ts";
import { topicNames } from "../help/topics/names.ts";
import { bugs, bundle, root, version } from "./bundle.ts";
import { bundledLicences } from "./licences.ts";
import { chunkEntries, splitChunks } from "./split-chunks.ts";

/**
 * The chunks that are separate files in `dist`, because few commands need them: name → module that is loaded
 * by `import()`. A module that several chunks import is in each, with its own state and classes, unless it is
 * one of `shared`.
 */
const chunks = {
  cli: "src/cli/run-command.ts",
  client: "src/client/index.ts",
  "add-from": "src/commands/add-from/import-file.ts",
  imports: "src/commands/imports/recorded-imports.ts",
  serve: "src/commands/serve/run-serve.ts",
  page: "src/server/page/html.ts",
  store: "src/commands/store/steer-store.ts",
  pg: "src/vendor/pg.ts",
  fleet: "src/rate-limiter/fleet-limiter.ts",
  redis: "src/vendor/redis-client.ts",
  completion: "src/completion/scripts/index.ts",
  help: "src/help/render-text.ts",
  "help-json": "src/help/json.ts",
  topics: "src/help/topics/index.ts",
  table: "src/output/formats/table.ts",
  csv: "src/output/formats/csv.ts",
  chalk: "src/vendor/chalk.ts",
  conf: "src/config/profiles/store.ts",
};

/** The modules that all chunks share, with one state and one class for all: name → module. */
const shared = { errors: "src/core/errors.ts", about: "src/help/about.ts" };

const { metafile, outputFiles } = await bundle({
  entryPoints: {
    "compile-cache": "src/platform/compile-cache.ts",
    main: "src/main.ts",
    ...shared,
    ...chunkEntries(chunks),
  },
  outdir: "dist",
  // Not `.js`: package.json declares those as ES modules.
  outExtension: { ".js": ".cjs" },
  plugins: [splitChunks(root, chunks, shared)],
});

const date = releaseDate(readFileSync(`${root}/CHANGELOG.md`, "utf8"), version);

/** The help topics, whose files Node can't import. */
const topics = topicNames.map((name) => readFileSync(`${root}/src/help/topics/${name}.md`, "utf8"));

const files = new Map<string, string | Uint8Array>([
  ...outputFiles.map((file): [string, Uint8Array] => [path.basename(file.path), file.contents]),
  ["meta.json", JSON.stringify(metafile)],
  ["pets.1", manPage(createProgram(version), { version, date, bugs, topics })],
  ["LICENSES.txt", bundledLicences(root, Object.keys(metafile.inputs))],
]);

/** The folder of the standalone executable, which is built separately. */
const standalone = "standalone";

const dist = path.join(root, "dist");
mkdirSync(dist, { recursive: true });
for (const [name, content] of files) writeFileSync(path.join(dist, name), content);
for (const name of readdirSync(dist)) {
  if (!files.has(name) && name !== standalone) rmSync(path.join(dist, name), { recursive: true });
}
