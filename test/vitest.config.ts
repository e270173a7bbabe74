import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: path.dirname(import.meta.dirname),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts", "test/support/run-folder.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most tests wait for processes and clocks: one worker less than processors would leave them idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
});
