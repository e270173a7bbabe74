import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

// Gives Node, when it runs the sources, what the build gives them: shell scripts and help topics as text, and our
// measure of cells in cli-table3.
const cellWidth = pathToFileURL(`${import.meta.dirname}/../output/cell-width.cjs`).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "string-width" && context.parentURL?.includes("/cli-table3/")
      ? { url: cellWidth, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    /\.(?:bash|zsh|fish|ps1|md)$/.test(url)
      ? {
          format: "module",
          source: `export default ${JSON.stringify(readFileSync(fileURLToPath(url), "utf8"))}`,
          shortCircuit: true,
        }
      : next(url, context),
});
