import { registerHooks } from "node:module";

// The build gives cli-table3 the same measure (src/build/bundle.ts).
const cellWidth = new URL("../../../src/vendor/cell-width.cjs", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "string-width" && context.parentURL?.includes("/cli-table3/")
      ? { url: cellWidth, shortCircuit: true }
      : next(specifier, context),
});
