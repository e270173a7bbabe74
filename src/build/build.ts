import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundledLicences } from "./licences.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest: unknown = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const version = String(Object(manifest).version);

// Bundled CommonJS packages call `require` for Node's own modules.
const banner =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

rmSync(`${root}/dist`, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  minify: true,
  keepNames: true,
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none",
  define: { PETS_VERSION: JSON.stringify(version) },
  alias: {
    "ajv/dist/2020.js": "./src/build/no-validator.ts",
    "ajv-formats": "./src/build/no-validator.ts",
    "when-exit": "./src/build/no-exit-hooks.ts",
  },
  banner: { js: banner },
  metafile: true,
  logLevel: "warning",
});
writeFileSync(`${root}/dist/meta.json`, JSON.stringify(metafile));
writeFileSync(`${root}/dist/LICENSES.txt`, bundledLicences(root, Object.keys(metafile.inputs)));
