import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { commandHelp } from "../help/render-text.ts";
import { manPage } from "../help/man/page.ts";
import { releaseDate } from "../help/man/release-date.ts";
import { pets } from "../cli/pets.ts";
import { bundledLicences } from "./licences.ts";
import { hashOf } from "./hash.ts";
import { excludeModules } from "./left-out.ts";
import { moduleFunction } from "./module-function.ts";
import { patch } from "./patch.ts";
import { splitChunks } from "./separate.ts";
import { buildStart } from "./start.ts";
import { standIn } from "./stand-in.ts";
import { emitWasm } from "./wasm-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest: unknown = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const { version, bugs }: { version: string; bugs: string } = Object(manifest);

// What is heavy is a file of its own, and what only requests, `serve` or `add --from` need. Any other
// module may be in several files, each with a state and with classes of its own. Help and cli-table3
// stay in the main file: V8 keeps a text of over 128 KiB where it need not be copied.
const modules = {
  "add-from": "src/commands/add-from/run.ts",
  completion: "src/completion/index.ts",
  api: "src/cli/create-client.ts",
  serve: "src/commands/serve/run.ts",
  chalk: "src/vendor/chalk.ts",
  conf: "src/vendor/conf.ts",
  "csv-parse": "src/vendor/csv-parse.ts",
  "csv-stringify": "src/vendor/csv-stringify.ts",
  pg: "src/vendor/pg.ts",
  "stream-json": "src/vendor/stream-json.ts",
  "string-width": "src/vendor/string-width.ts",
  zod: "src/vendor/zod.ts",
};

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { main: "src/main.ts", ...modules },
  outdir: "dist",
  assetNames: "[name]",
  bundle: true,
  write: false,
  // CommonJS: a module within a file is run when it is first asked for, and Node's own modules are
  // taken as they are. An ES import of node:http or node:process reads all its getters, and loads
  // fetch and all standard streams.
  format: "cjs",
  supported: { "dynamic-import": false },
  platform: "node",
  loader: { ".bash": "text", ".zsh": "text", ".fish": "text", ".ps1": "text" },
  target: "node22.19",
  minify: true,
  legalComments: "none",
  define: {
    PETS_VERSION: JSON.stringify(version),
    PETS_HELP: JSON.stringify(commandHelp([pets])),
    "import.meta.dirname": "__dirname",
    "import.meta.filename": "__filename",
    // undici asks for this to leave its second, experimental parser out.
    esbuildDetection: "true",
  },
  plugins: [excludeModules(), patch(), standIn(), emitWasm(), splitChunks(root, modules)],
  metafile: true,
  logLevel: "warning",
});

const date = releaseDate(readFileSync(`${root}/CHANGELOG.md`, "utf8"), version);

const files = new Map<string, string | Uint8Array>([
  ...outputFiles.map(({ path: file, contents, text }): [string, string | Uint8Array] => {
    const name = path.basename(file);
    return [name, name.endsWith(".js") ? moduleFunction(name, text) : contents];
  }),
  ["meta.json", JSON.stringify(metafile)],
  ["pets.1", manPage(pets, { version, date, bugs })],
  ["LICENSES.txt", bundledLicences(root, Object.keys(metafile.inputs))],
]);
const installed = await buildStart(root, "installed", hashOf(files.values()));
files.set("start.js", `(function(process,folder,require){${installed}})`);

const dist = path.join(root, "dist");
mkdirSync(dist, { recursive: true });
for (const [name, content] of files) writeFileSync(path.join(dist, name), content);
for (const name of readdirSync(dist)) {
  if (!files.has(name)) rmSync(path.join(dist, name), { recursive: true });
}
