import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { failOnUnmatched } from "../../../src/build/plugins/assert-matched.ts";

/** Builds nothing, with a plugin that should match "a" and "b" and matches `met`. */
async function buildWith(met: readonly string[]): Promise<unknown> {
  return build({
    stdin: { contents: "" },
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "test",
        setup: (plugin) =>
          failOnUnmatched(plugin, ["a", "b"], new Set(met), (part) => `no ${part} was met`),
      },
    ],
  });
}

describe("failOnUnmatched", () => {
  it("lets a build pass in which every part matched", async () => {
    await expect(buildWith(["b", "a"])).resolves.toMatchObject({ errors: [] });
  });

  it.each([
    [["a"], /no b was met/],
    [[], /no a was met[^]*no b was met/],
  ])("fails a build in which only %j matched", async (met, message) => {
    await expect(buildWith(met)).rejects.toThrow(message);
  });
});
