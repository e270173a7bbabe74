import type { PluginBuild } from "esbuild";

/** Fails the build if one of `parts` is not in `met` at its end; `text` says what is missing. */
export function failOnUnmatched<Part>(
  build: PluginBuild,
  parts: readonly Part[],
  met: ReadonlySet<Part>,
  text: (part: Part) => string,
): void {
  build.onEnd(() => ({
    errors: parts.filter((part) => !met.has(part)).map((part) => ({ text: text(part) })),
  }));
}
