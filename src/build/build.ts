import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { manPage } from "../man/page.ts";
import { releaseDate } from "../man/release-date.ts";
import { describedProgram } from "../program.ts";
import { compileWithFile } from "./eager.ts";
import { leaveOut } from "./left-out.ts";
import { bundledLicences } from "./licences.ts";
import { separate } from "./separate.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest: unknown = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const { version, bugs }: { version: string; bugs: string } = Object(manifest);

// What is heavy is a file of its own, and what only help, requests or `add --from` need. Failures are one
// too, so that all files know the same kinds: other modules may be in several files, each with a state
// and with classes of its own.
const modules = {
  "add-from": "src/commands/add-from.ts",
  api: "src/open-api.ts",
  completion: "src/completion/scripts.ts",
  errors: "src/errors.ts",
  help: "src/help/texts.ts",
  serve: "src/commands/serve-run.ts",
  chalk: "src/vendor/chalk.ts",
  "cli-table3": "src/vendor/cli-table3.ts",
  commander: "src/vendor/commander.ts",
  conf: "src/vendor/conf.ts",
  "csv-parse": "src/vendor/csv-parse.ts",
  "csv-stringify": "src/vendor/csv-stringify.ts",
  pg: "src/vendor/pg.ts",
  "stream-json": "src/vendor/stream-json.ts",
  "string-width": "src/vendor/string-width.ts",
  undici: "src/vendor/undici.ts",
  zod: "src/vendor/zod.ts",
};

/** Of these a command runs a small part. */
const runInPart = new Set(["main.cjs", "serve.cjs", "add-from.cjs"]);

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { main: "src/main.ts", ...modules },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  write: false,
  // CommonJS: a module within a file is run when it is first asked for, and Node's own modules are
  // taken as they are. An ES import of node:http or node:process reads all its getters, and loads
  // fetch and all standard streams.
  format: "cjs",
  supported: { "dynamic-import": false },
  platform: "node",
  target: "node22.19",
  minify: true,
  keepNames: true,
  legalComments: "none",
  define: {
    PETS_VERSION: JSON.stringify(version),
    "import.meta.dirname": "__dirname",
    // undici asks for this to leave its second, experimental parser out.
    esbuildDetection: "true",
  },
  plugins: [leaveOut(), separate(root, modules)],
  metafile: true,
  logLevel: "warning",
});

const date = releaseDate(readFileSync(`${root}/CHANGELOG.md`, "utf8"), version);

const files = new Map([
  ...outputFiles.map(({ path: file, text }): [string, string] => {
    const name = path.basename(file);
    return [name, compileWithFile(file, text, { all: !runInPart.has(name) })];
  }),
  ["meta.json", JSON.stringify(metafile)],
  ["pets.1", manPage(describedProgram(version), { version, date, bugs })],
  ["LICENSES.txt", bundledLicences(root, Object.keys(metafile.inputs))],
]);

const dist = path.join(root, "dist");
mkdirSync(dist, { recursive: true });
for (const [name, content] of files) writeFileSync(path.join(dist, name), content);
for (const name of readdirSync(dist)) {
  if (!files.has(name)) rmSync(path.join(dist, name), { recursive: true });
}
