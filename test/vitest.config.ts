import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig, type Plugin } from "vitest/config";

/** Imports shell scripts and help topics as text, as the build does (src/completion/scripts.d.ts). */
const textFiles: Plugin = {
  name: "text-files",
  enforce: "pre",
  load: (id) =>
    /\.(?:bash|zsh|fish|ps1|md)$/.test(id)
      ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}`
      : undefined,
};

export default defineConfig({
  root: path.dirname(import.meta.dirname),
  plugins: [textFiles],
  oxc: { jsx: { importSource: "preact" } },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/setup/build.ts", "test/support/setup/run-folder.ts"],
    setupFiles: ["test/support/setup/current-test.ts"],
    // Files share the modules of their worker: loading them anew for each takes half of the time.
    isolate: false,
    execArgv: ["--import", path.join(import.meta.dirname, "../src/build/source-hooks.ts")],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Most tests wait for processes and clocks: a worker per processor would leave it idle.
    maxWorkers: Math.max(5, availableParallelism()),
  },
});
