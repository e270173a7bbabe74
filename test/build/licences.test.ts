import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundledLicences } from "../../src/build/licences.ts";
import { script, temporaryFolder } from "../support/program/program.ts";

const root = path.dirname(path.dirname(script));

/** Returns the folders of all packages with code in `dist`. */
function bundledFolders(): string[] {
  const chunks: Record<string, string[]> = JSON.parse(
    readFileSync(path.join(root, "dist/meta.json"), "utf8"),
  );
  const folders = Object.values(chunks)
    .flat()
    .flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)];
}

const words = (text: string): string => text.split(/\s+/).join(" ").trim();

describe("the licences in the package", () => {
  const shipped = readFileSync(path.join(root, "dist/LICENSES.txt"), "utf8");

  it("are those of every bundled package, complete", () => {
    const folders = bundledFolders();
    expect(folders.length).toBeGreaterThan(30);
    for (const folder of folders) {
      const { name, version, license } = JSON.parse(
        readFileSync(path.join(root, folder, "package.json"), "utf8"),
      );
      expect(`\n${shipped}`).toContain(`\n${name} ${version} (${license})\n`);
      expect(["0BSD", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]).toContain(license);
      const file = readdirSync(path.join(root, folder)).find((entry) => /^licen/i.test(entry));
      if (file === undefined) continue;
      const text = readFileSync(path.join(root, folder, file), "utf8");
      expect(words(shipped)).toContain(words(text));
    }
  });

  it("include that of the parser in undici, and those of what the page bundles", () => {
    expect(shipped).toMatch(/^undici\/lib\/llhttp \(MIT\)\n\n[^-]*Fedor Indutny/m);
    for (const name of ["preact", "@preact/signals", "@preact/signals-core"])
      expect(shipped).toMatch(new RegExp(`^${name} [0-9.]+ \\(MIT\\)$`, "m"));
  });
});

it("is not written if a package has no licence", () => {
  const folder = temporaryFolder();
  const sly = path.join(folder, "node_modules/sly");
  mkdirSync(sly, { recursive: true });
  writeFileSync(path.join(sly, "package.json"), '{"version":"1.2.3","license":"MIT"}');
  const inputs = ["src/main.ts", "node_modules/sly/lib/a.js"];
  const message = "sly 1.2.3 (MIT) has no licence text to ship";
  expect(() => bundledLicences(folder, inputs)).toThrow(message);
});
