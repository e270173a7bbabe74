import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";

const shelter = (name: string): string =>
  path.join(import.meta.dirname, "../../fixtures/shelters", name);

/** What a user puts in place of what a hint leaves open, and how often there is something to paste. */
const inputs: readonly (readonly [
  string,
  string | undefined,
  Readonly<Record<string, string>>,
  number,
])[] = [
  ["vienna.csv", undefined, { name: "Hunderasse", categoryId: "Bezirk" }, 1],
  ["tierheim.csv", undefined, {}, 3],
  ["bristol.tsv", undefined, { name: "#1", categoryId: "#2" }, 2],
  ["austin-outcomes.csv", undefined, {}, 2],
  ["seattle-licences.csv", undefined, {}, 2],
  ["dataframe.csv", undefined, {}, 2],
  ["excel-unicode.txt", undefined, { categoryId: "Species Code" }, 2],
  [
    "lost-pets.geojson",
    undefined,
    { name: "properties.Pet.Name", categoryId: "properties.Pet.Kind" },
    2,
  ],
  ["a chip number", "Chip;Name;Tierart;Status;Alter\n276001234;Rex;Hund;sold;3\n", {}, 2],
  ["no header", "Rex,1,sold,x\n", { name: "#1", categoryId: "#2" }, 2],
  ["a column without a name", ",name,category\n7,Rex,1\n", {}, 1],
  ["one column", "name\nRex\n", {}, 1],
  ["two columns of a name", "name,category,Name\nRex,1,x\n", {}, 1],
  [
    "an object around an array",
    '{"animals":[{"nmae":"Rex","kind":3,"age":3}]}\n',
    { categoryId: "kind" },
    2,
  ],
];

/** Returns the words of the flags that an error suggests, as a shell reads them, and as a user completes them. */
function pasted(stderr: string, columns: Readonly<Record<string, string>>): readonly string[] {
  const [, flags] = /^Try it with: (.*)$/m.exec(stderr) ?? [];
  if (flags === undefined) return [];
  const words = execFileSync("sh", ["-c", `printf '%s\\n' ${flags}`], { encoding: "utf8" });
  return words
    .trimEnd()
    .split("\n")
    .map((word) =>
      word
        .replace(/^COLUMN(?==(.*)$)/, (_all, field: string) => columns[field] ?? "COLUMN")
        .replace(/(?<=^|=)ID$/, "7")
        .replace(/(?<==)STATUS$/, "pending")
        .replace(/^NAME$/, "Unnamed"),
    );
}

it.each(inputs)("what is suggested for %s cures it", async (name, content, columns, times) => {
  const file = content === undefined ? shelter(name) : fileOf(content);
  const words: string[] = [];
  let count = -1;
  let run: Awaited<ReturnType<typeof runHere>>;
  let flags: readonly string[] = [];
  do {
    words.push(...flags);
    run = await runHere(["add", "--from", file, ...words, "--dry-run"], {});
    flags = pasted(run.stderr, columns);
    count += 1;
  } while (flags.length > 0 && count < 5);
  expect(run.stderr).not.toContain("pets:");
  expect(run.code).toBe(0);
  expect(count).toBe(times);
});
