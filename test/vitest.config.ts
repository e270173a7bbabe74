import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: path.dirname(import.meta.dirname),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
