import { createRequire } from "node:module";
import path from "node:path";
import type { Plugin } from "esbuild";

const require = createRequire(import.meta.url);

/**
 * Makes undici's parser of replies, which is WebAssembly in a long text, a file beside the others: so
 * a start need not read it as text, nor decode it. Fails the build where it is not there.
 */
export function emitWasm(): Plugin {
  return {
    name: "wasm-files",
    setup(build) {
      let met = 0;
      build.onResolve({ filter: /\/llhttp\/llhttp(?:_simd)?-wasm\.js$/ }, (found) => {
        met += 1;
        const source = path.resolve(found.resolveDir, found.path);
        return { path: source.replace(/-wasm\.js$/, ".wasm"), pluginData: source };
      });
      build.onLoad({ filter: /\/llhttp(?:_simd)?\.wasm$/ }, ({ pluginData: source }) => {
        const contents: unknown = require(source);
        return contents instanceof Uint8Array
          ? { contents, loader: "copy" }
          : { errors: [{ text: `${source} is no WebAssembly` }] };
      });
      build.onEnd(() => ({
        errors: met === 0 ? [{ text: "undici has no llhttp/llhttp-wasm.js" }] : [],
      }));
    },
  };
}
