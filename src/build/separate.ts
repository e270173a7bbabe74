import path from "node:path";
import type { Plugin } from "esbuild";

/** Output name → source module, of the modules that are files of their own in `dist`. */
export type SeparateModules = Readonly<Record<string, string>>;

/** Makes each of `modules`, paths below `root`, a file of its own that the others load when they need it. */
export function splitChunks(root: string, modules: SeparateModules): Plugin {
  const files = new Map(
    Object.entries(modules).map(([name, module]) => [path.join(root, module), `./${name}.js`]),
  );
  return {
    name: "separate",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, ({ path: wanted, resolveDir, kind }) => {
        const file = files.get(path.resolve(resolveDir, wanted));
        return file === undefined || kind === "entry-point"
          ? undefined
          : { path: file, external: true };
      });
    },
  };
}
