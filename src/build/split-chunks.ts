import path from "node:path";
import type { Plugin } from "esbuild";

/** The modules that are separate files in `dist`: name of the output file → source module. */
export type Chunks = Readonly<Record<string, string>>;

const eagerCompilation = "src/platform/eager-compilation.ts";

const entry = "chunk-entry:";

/** Returns the entry points of `chunks`, for esbuild. */
export function chunkEntries(chunks: Chunks): Record<string, string> {
  return Object.fromEntries(Object.keys(chunks).map((name) => [name, `${entry}${name}`]));
}

/**
 * Makes each of `chunks`, paths below `root`, a separate CommonJS file that its `import()` loads. (esbuild splits
 * only ES modules, which take longer to load.) The modules `shared` are separate files too, which every chunk loads
 * at its start. V8 compiles a chunk eagerly, but compiles what the chunk loads at run time as usual.
 */
export function splitChunks(root: string, chunks: Chunks, shared: Chunks = {}): Plugin {
  const sharedNames = new Map(
    Object.entries(shared).map(([name, module]) => [path.join(root, module), name]),
  );
  const names = new Map(
    Object.entries(chunks).map(([name, module]) => [path.join(root, module), name]),
  );
  const eager = JSON.stringify(path.join(root, eagerCompilation));
  return {
    name: "split-chunks",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path: wanted, resolveDir, kind }) => {
        const module = path.resolve(resolveDir, wanted);
        const common = sharedNames.get(module);
        if (common !== undefined && kind === "import-statement")
          return { path: `./${common}.cjs`, external: true };
        if (kind !== "dynamic-import") return undefined;
        const name = names.get(module);
        return name === undefined ? undefined : { path: name, namespace: "chunk" };
      });
      build.onLoad({ filter: /./, namespace: "chunk" }, ({ path: name }) => ({
        contents: `require(${eager}).compileEagerly(); module.exports = require("./${name}.cjs");`,
        resolveDir: root,
      }));
      build.onResolve({ filter: /^\.\/.*\.cjs$/, namespace: "chunk" }, ({ path: file }) => ({
        path: file,
        external: true,
      }));
      build.onResolve({ filter: /^chunk-entry:/ }, ({ path: name }) => ({
        path: name.slice(entry.length),
        namespace: "chunk-entry",
      }));
      build.onLoad({ filter: /./, namespace: "chunk-entry" }, ({ path: name }) => ({
        contents: `require(${eager}).compileLazily(); module.exports = require(${JSON.stringify(path.join(root, chunks[name] ?? name))});`,
        resolveDir: root,
      }));
    },
  };
}
