import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { type ExcludedModule, excludeModules } from "../../src/build/exclude-modules.ts";
import { temporaryFolder } from "../support/program/program.ts";

const require = createRequire(import.meta.url);

/** Bundles a file that imports `./heavy.js`, which is `missing`, and returns what the bundle exports. */
async function bundled(modules: readonly ExcludedModule[]): Promise<{ run: () => unknown }> {
  const folder = temporaryFolder();
  writeFileSync(
    `${folder}/main.js`,
    'import heavy from "./heavy.js"; export const run = () => [require("./heavy.js").part(1), heavy()];',
  );
  const heavy = 'export const part = (n) => n + 1; export default () => "heavy";';
  writeFileSync(`${folder}/heavy.js`, heavy);
  const plugins = [excludeModules(modules)];
  const build = await rolldown({ input: `${folder}/main.js`, platform: "node", plugins });
  await build.write({ file: `${folder}/out.cjs`, format: "cjs" });
  return require(`${folder}/out.cjs`);
}

describe("excludeModules", () => {
  it("keeps other modules", async () => {
    expect((await bundled([])).run()).toEqual([2, "heavy"]);
  });

  it("makes each call of an excluded module throw, but not its import", async () => {
    const { run } = await bundled([{ importer: /main\.js$/, path: /heavy/ }]);
    expect(run).toThrow("./heavy.js is excluded from the bundle");
  });

  it.each([
    ["ignore", undefined],
    ["subscribe", expect.any(Function)],
  ] as const)("makes calls to %s do nothing", async (call, result) => {
    const { run } = await bundled([{ importer: /main\.js$/, path: /heavy/, call }]);
    expect(run()).toEqual([result, result]);
  });

  it.each([
    [/main\.js$/, /light/],
    [/other\.js$/, /heavy/],
  ])("fails if %s imports nothing that matches %s", async (importer, path) => {
    await expect(bundled([{ importer, path }])).rejects.toThrow(`no import matches ${path}`);
  });
});
