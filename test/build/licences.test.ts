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

  it("include that of the parser in undici", () => {
    expect(shipped).toMatch(/^llhttp, in undici [\d.]+ \(MIT\)\n\n[^-]*Fedor Indutny/m);
  });
});

/** Makes a folder with packages, each with its name, a licence and the given files. */
function packages(
  all: Record<string, { license?: string; files: Record<string, string> }>,
): string {
  const folder = temporaryFolder();
  for (const [name, { license, files }] of Object.entries(all)) {
    const own = path.join(folder, "node_modules", name);
    mkdirSync(own, { recursive: true });
    writeFileSync(
      path.join(own, "package.json"),
      JSON.stringify({ name, version: "1.2.3", license }),
    );
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(own, file), text);
  }
  return folder;
}

const inputsOf = (...names: string[]) => names.map((name) => `node_modules/${name}/lib/a.js`);

describe("bundledLicences", () => {
  it("writes the same text once, below all names", () => {
    const folder = packages({
      one: { license: "MIT", files: { LICENSE: "the text \r\nof both\r\n" } },
      "@of/two": { license: "MIT", files: { "license.md": "the text\nof both" } },
      three: { license: "ISC", files: { "README.md": "# three\n## License\nPermission: yes\n" } },
    });
    const inputs = ["src/main.ts", ...inputsOf("one", "@of/two", "three", "one")];
    expect(bundledLicences(folder, inputs)).toBe(
      `@of/two 1.2.3 (MIT)\none 1.2.3 (MIT)\n\nthe text\nof both\n\n${"-".repeat(80)}\n\n` +
        "three 1.2.3 (ISC)\n\nPermission: yes\n",
    );
  });

  it.each([
    ["MIT", {}, "sly 1.2.3 (MIT) has no licence text to ship"],
    ["MIT", { "README.md": "# Sly\n## License\nMIT\n" }, "has no licence text to ship"],
  ])("fails for %s with %j", (license, files, message) => {
    const folder = packages({ sly: { ...(license !== undefined && { license }), files } });
    expect(() => bundledLicences(folder, inputsOf("sly"))).toThrow(message);
  });
});
