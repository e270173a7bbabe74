import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../src");

/** Returns the files of `src` that a file imports, also by `import()` or for a type. */
function importsOf(file: string): readonly string[] {
  const found = readFileSync(file, "utf8").matchAll(/\b(?:from|import)[\s(]+"(\.[^"]+\.tsx?)"/g);
  return [...found].map(([, name = ""]) => path.resolve(path.dirname(file), name));
}

// The linter finds no circle that has an `import()` in it.
it("no file imports itself through others, import() included", () => {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => path.join(root, name));
  const left = new Map(files.map((file) => [file, importsOf(file)]));
  let before = Infinity;
  while (left.size < before) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, imports] of left)
      if (!imported.has(file) || !imports.some((each) => left.has(each))) left.delete(file);
  }
  expect([...left.keys()]).toEqual([]);
  expect(files.length).toBeGreaterThan(200);
});
