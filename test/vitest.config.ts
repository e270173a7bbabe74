import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import type { Reporter } from "vitest/node";

/** Imports shell scripts and help topics as text, as the build does (src/completion/scripts.d.ts). */
const textFiles: Plugin = {
  name: "text-files",
  enforce: "pre",
  load: (id) =>
    /\.(?:bash|zsh|fish|ps1|md)$/.test(id)
      ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}`
      : undefined,
};

const slowMs = 15_000;

/** Names the slowest files at the end of the run. */
const slowFiles: Reporter = {
  onTestRunEnd(modules) {
    const slow = modules
      .map((module) => ({ id: module.relativeModuleId, ms: module.diagnostic().duration }))
      .filter(({ ms }) => ms > slowMs)
      .toSorted((one, other) => other.ms - one.ms)
      .map(({ id, ms }) => `${id} ${Math.round(ms / 1000)} s`);
    if (slow.length > 0) console.log(`Slow files: ${slow.join(", ")}`);
  },
};

export default defineConfig({
  root: path.dirname(import.meta.dirname),
  plugins: [textFiles],
  oxc: { jsx: { importSource: "preact" } },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/setup/build.ts", "test/support/setup/run-folder.ts"],
    // A region whose time is UTC: times are the same everywhere, and come without `UTC`.
    env: { TZ: "Africa/Abidjan" },
    setupFiles: ["test/support/setup/current-test.ts"],
    // Files share the modules of their worker: loading them anew for each takes half of the time.
    isolate: false,
    execArgv: ["--import", path.join(import.meta.dirname, "../src/build/source-hooks.ts")],
    reporters: ["default", slowFiles],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Most tests wait for processes and clocks: a worker per processor would leave it idle.
    maxWorkers: Math.max(5, availableParallelism()),
  },
});
