import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "esbuild";
import { failOnUnmatched } from "./unmet.ts";

/** A module that stands in for one that a package asks for. */
interface StandIn {
  readonly of: "undici" | "cli-table3";
  readonly path: RegExp;
  /** Its source, in CommonJS. */
  contents(): string;
  /** Finds every use of the module; those that are not known would find something missing. */
  readonly use: RegExp;
  readonly known: RegExp;
}

const require = createRequire(import.meta.url);

/**
 * What packages load and hardly use: node:assert and node:http take 3 ms to load, the tree of header
 * names 2 ms to build, llhttp's constants and the widths of all emoji 1 ms each.
 */
const standIns: readonly StandIn[] = [
  {
    of: "undici",
    path: /^node:assert$/,
    contents: () => `module.exports = function assert(value, message) {
      if (!value) throw Object.assign(new Error(message), { code: "ERR_ASSERTION" }) }`,
    use: /\bassert\.\w+/g,
    known: /^assert\.nothing$/,
  },
  {
    of: "undici",
    // 16 KiB is Node's own default.
    path: /^node:http$/,
    contents: () => `module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }`,
    use: /\bhttp\.\w+|\{[^}]*\} = require\('node:http'\)/g,
    known: /^http\.maxHeaderSize$|^\{ IncomingMessage \}/,
  },
  {
    of: "undici",
    // Nobody listens in this process.
    path: /\/diagnostics(?:\.js)?$/,
    contents() {
      const { channels } = require("undici/lib/core/diagnostics.js");
      const idle = `{ hasSubscribers: false, publish() {} }`;
      return `exports.channels = {${Object.keys(channels)
        .map((name) => `${name}: ${idle}`)
        .join()}}`;
    },
    use: /\bchannels\.\w+\.\w+/g,
    known: /\.(?:hasSubscribers|publish)$/,
  },
  {
    of: "undici",
    path: /^\.\/tree(?:\.js)?$/,
    contents: () => `exports.tree = { lookup() {} }`,
    use: /\btree\.\w+[^\n]*/g,
    known: /^tree\.lookup\(value\) \?\? value\.toString\('latin1'\)\.toLowerCase\(\)$/,
  },
  {
    of: "undici",
    path: /^\.{1,2}\/(?:core\/)?constants(?:\.js)?$/,
    contents() {
      const {
        defaultWebSocketMaxFragments,
        defaultWebSocketMaxPayloadSize,
      } = require("undici/lib/core/constants.js");
      const numbers = { defaultWebSocketMaxFragments, defaultWebSocketMaxPayloadSize };
      return `module.exports = { headerNameLowerCasedRecord: { __proto__: null }, ...${JSON.stringify(numbers)} }`;
    },
    use: /\b(?:headerNameLowerCasedRecord|wellknownHeaderNames)\b.{0,4}/g,
    known: /^headerNameLowerCasedRecord(?:\[| \} =)/,
  },
  {
    of: "undici",
    path: /\/llhttp\/constants\.js$/,
    contents() {
      const { ERROR, TYPE } = require("undici/lib/llhttp/constants.js");
      return `module.exports = ${JSON.stringify({ ERROR, TYPE })}`;
    },
    use: /(?<!\/)\bconstants\.\w+/g,
    known: /^constants\.(?:ERROR|TYPE)$/,
  },
  {
    // What output/grid hands over is ASCII, and a filler of one column.
    of: "cli-table3",
    path: /^string-width$/,
    contents: () => `module.exports = (text) => text.length`,
    use: /\bstringWidth\b.?/g,
    known: /^stringWidth(?: |\()$/,
  },
];

/** Puts the stand-ins in place; fails the build where undici does with a module what its stand-in can't. */
export function standIn(): Plugin {
  return {
    name: "stand-in",
    setup(build) {
      const met = new Set<StandIn>();
      build.onResolve(
        { filter: /^node:(?:assert|http)$|^string-width$|tree|diagnostics|constants/ },
        (found) => {
          const part = standIns.find(
            ({ of, path }) =>
              path.test(found.path) && found.importer.includes(`/node_modules/${of}/`),
          );
          if (part === undefined) return undefined;
          met.add(part);
          const errors = unknownUses(part, found.importer).map((text) => ({ text }));
          return { path: found.path, namespace: "stand-in", errors };
        },
      );
      build.onLoad({ filter: /./, namespace: "stand-in" }, ({ path: wanted }) => {
        const contents = standIns.find(({ path }) => path.test(wanted))?.contents();
        return contents === undefined ? undefined : { contents };
      });
      failOnUnmatched(
        build,
        standIns,
        met,
        ({ path }) => `nothing matches ${path}, which has a stand-in`,
      );
    },
  };
}

function unknownUses({ path, use, known }: StandIn, file: string): readonly string[] {
  const uses = readFileSync(file, "utf8").match(use) ?? [];
  return uses
    .filter((found) => !known.test(found))
    .map((found) => `${file}: the stand-in for ${path} does not know \`${found}\``);
}
