import type { Plugin } from "esbuild";
import { failOnUnmatched } from "./unmet.ts";

const hooks = "re-sends every signal, so that one Ctrl-C would be two and end pets without a word";

/**
 * What is left out of the bundle, and why: each a pattern of import paths within a package. A call
 * of what was left out throws, except that exit hooks are never set.
 */
const leftOut = [
  { from: /\/conf\//, path: /^ajv(?:-formats$|\/)/, why: "conf is given no schema" },
  { from: /\/conf\//, path: /^node:crypto$/, why: "profiles are not encrypted" },
  { from: /\/conf\//, path: /^semver$/, why: "there are no migrations" },
  { from: /\/conf\//, path: /^env-paths$/, why: "conf is told the folder" },
  { from: /\/(?:conf|atomically)\//, path: /^when-exit$/, why: hooks, harmless: true },
  { from: /\/commander\//, path: /^node:child_process$/, why: "no subcommand is a program" },
  { from: /\/pg\//, path: /^\.\/native$/, why: "pg's own protocol is enough" },
  { from: /\/undici\//, path: /\/client-h2\.js$/, why: "HTTP/2 is off, and node:http2 is heavy" },
  { from: /\/undici\//, path: /\/web\/(?:fetch|webidl)/, why: "bodies are text, never forms" },
] as const;

/** Leaves out of the bundle what `missedByStringWidth` names, and fails the build when a part is not there. */
export function excludeModules(): Plugin {
  return {
    name: "leave-out",
    setup(build) {
      const met = new Set<(typeof leftOut)[number]>();
      build.onResolve(
        {
          filter:
            /ajv|semver|env-paths|when-exit|^node:crypto$|^node:child_process$|client-h2|^\.\/native$|web\//,
        },
        (found) => {
          const part = leftOut.find(
            ({ from, path }) => from.test(found.importer) && path.test(found.path),
          );
          if (part === undefined) return undefined;
          met.add(part);
          const harmless = "harmless" in part;
          return { path: found.path, namespace: "left-out", pluginData: { harmless } };
        },
      );
      build.onLoad({ filter: /./, namespace: "left-out" }, ({ path, pluginData }) => ({
        contents: throwingModule(path, Object(pluginData).harmless === true),
      }));
      failOnUnmatched(
        build,
        leftOut,
        met,
        ({ path }) => `nothing matches ${path}, which is to be left out`,
      );
    },
  };
}

/** A module whose every export can be called: to no effect, or to throw. */
function throwingModule(path: string, harmless: boolean): string {
  const refusal = `throw new Error(${JSON.stringify(`${path} is left out of the bundle`)})`;
  return `function leftOut() { ${harmless ? "" : refusal} }
    module.exports = new Proxy(leftOut, { get: (_target, name) => name === "__esModule" ? false : leftOut });`;
}
