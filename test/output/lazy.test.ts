import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const output = new URL("../../src/output/", import.meta.url);

/** Returns the packages that are loaded when `program` runs after importing `file` as `m`. */
function packagesLoaded(file: string, program: string): string[] {
  const source = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /node_modules\\/([^/]+)/.exec(url)?.[1];
        // A few hundred bytes.
        if (name && name !== "fastest-levenshtein") loaded.add(name);
        return next(url, context);
      },
    });
    const m = await import(${JSON.stringify(new URL(file, output).href)});
    ${program};
    console.log(JSON.stringify([...loaded]));`;
  const options = ["--no-warnings", "--input-type=module", "-e", source];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: "utf8" }));
}

const render = (format: string, name: string, color = false): string =>
  `const columns = [{ field: "name", header: "NAME", kind: "text" }];
   const options = { format: "${format}", columns, terminal: false, color: ${color} };
   await m.formatRecords([{ name: ${JSON.stringify(name)} }], options)`;

const table = ["cli-table3", "emoji-regex", "is-fullwidth-code-point"];

it.each([
  ["formats/index.ts", render("json", "日本"), []],
  ["formats/index.ts", render("tsv", "日本"), []],
  ["formats/index.ts", render("csv", "日本"), ["csv-stringify"]],
  ["formats/index.ts", render("table", "Rex"), table],
  ["formats/index.ts", render("table", "Rex", true), ["chalk", ...table]],
  ["failure.ts", `await m.renderFailure(new Error("日本"), { color: false, json: false })`, []],
  ["notes.ts", "", []],
  ["wait-notice.ts", "", []],
])("of %s, %s loads %j", (file, program, packages) => {
  expect(new Set(packagesLoaded(file, program))).toEqual(new Set(packages));
});
