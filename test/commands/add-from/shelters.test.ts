import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";

const folder = path.join(import.meta.dirname, "../../fixtures/shelters");

/** Returns the words of a command line, as a shell reads them. */
function wordsOf(line: string): readonly string[] {
  const text = execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

/** Returns the animals of a dry run as text: `Rex 1 sold, …`. */
const animalsIn = (ndjson: string): string =>
  ndjson
    .trimEnd()
    .split("\n")
    .map((pet) => Object.values(JSON.parse(pet)).join(" "))
    .join(", ");

/** The one command with which each file goes in, and the animals that it sends: see test/fixtures/README.md. */
const imports: readonly (readonly [string, string])[] = [
  [
    `austin-intakes.csv --map 'Animal Type=category' --value category:Dog=1 --value category:Cat=2 --value 'category:*=9' --name Unnamed --status available --ignore-fields`,
    "*Brock 1 available, Belle 1 available, Unnamed 2 available, Unnamed 9 available",
  ],
  [
    `austin-outcomes.csv --map 'Animal Type=category' --map 'Outcome Type=status' --value category:dog=1 --value category:cat=2 --value status:adoption=sold --value status:rto-adopt=sold --value 'status:*=pending' --name Unnamed --ignore-fields`,
    "Chunk 2 sold, Gizmo 1 sold, Unnamed 1 pending, Moose 1",
  ],
  [
    `seattle-licences.csv --map "Animal's Name=name" --map Species=category --value category:Cat=2 --value category:Dog=1 --value category:Goat=3 --value category:Pig=4 --name Unnamed --ignore-fields`,
    `Zen 2, Misty 2, Lyra 1, Ms. "Fluff" O'Hara 3, Unnamed 4`,
  ],
  [
    `new-york-dog-licences.csv --map AnimalName=name --category 1 --value name:unknown=Unnamed --value 'name:name not provided=Unnamed' --ignore-fields`,
    "PAIGE 1, YOGI 1, Unnamed 1, Unnamed 1",
  ],
  [
    `petfinder-train.csv --map Type=category --name 'No Name Yet' --status available --ignore-fields`,
    "Nibble 2 available, No Name Yet 1 available, No Name Yet 1 available",
  ],
  [
    `long-beach.json --items results --map animal_name=name --map animal_type=category --map outcome_type=status --value category:dog=1 --value category:cat=2 --value 'category:*=9' --value status:adoption=sold --value 'status:*=pending' --name Unnamed --ignore-fields`,
    "*CHARLIEN 1 sold, Unnamed 9 pending, BELLA Ñ 2",
  ],
  [
    `lost-pets.geojson --items features --map properties.Pet.Name=name --map properties.Pet.Kind=category --map properties.State=status --ignore-fields`,
    "Luna 1 available, Bäri 2 pending",
  ],
  [
    `tierheim.csv --encoding windows-1252 --skip-lines 3 --map 'Name des Tieres=name' --map Tierart=category --map Vermittlungsstand=status --value category:Hund=1 --value category:Katze=2 --value status:frei=available --value status:reserviert=pending --value status:vermittelt=sold --ignore-fields`,
    `Müller 1 available, Kätzchen "Minka" 2 pending, Strolch 1 sold`,
  ],
  [
    `dallas.csv --map 'Animal Id=name' --map 'Animal Type=category' --value category:DOG=1 --value category:CAT=2 --ignore-fields --skip-invalid`,
    "A0979593 1, A0981145 2",
  ],
];

it.each(imports)("pets add --from %s", async (line, expected) => {
  const [file = "", ...words] = wordsOf(line);
  const run = await runHere(
    ["add", "--from", path.join(folder, file), ...words, "--dry-run", "-o", "ndjson"],
    {},
  );
  expect(animalsIn(run.stdout)).toBe(expected);
  expect(run.code).toBe(words.includes("--skip-invalid") ? 9 : 0);
});

type Columns = Readonly<Record<string, string>>;

/**
 * A file, or a name and its content; how many commands lead to a right dry run by what the errors suggest, that included;
 * the animals then; and what a user puts in place of `<column>`, and which hint is chosen.
 */
const wrongInputs: [string, number, string, Columns?, string?][] = [
  ["lists/german.csv", 3, "Bello 7 pending, Minka 7 pending, Strolch 7 pending, Mia 7 pending"],
  [
    "lists/french.csv",
    2,
    "Félix 7 pending, Médor 7 pending, Noisette 7 pending",
    { name: "Nom de l'animal" },
  ],
  ["lists/spanish.csv", 2, "Luna 7 pending, Simón 7 pending, Kira 7 pending"],
  ["lists/czech.csv", 3, "Žofka 7 pending, Řízek 7 pending, Míša 7 pending"],
  ["lists/polish.csv", 3, "Łatek 7, Śnieżka 7"],
  ["lists/japanese.csv", 3, "ポチ 7 pending, タマ 7 pending, モモ 7 pending"],
  [
    "lists/no-header.csv",
    3,
    "Bella 7 available, Tom 7 sold, Charlie 7 available",
    { name: "#2", categoryId: "#3" },
  ],
  ["lists/titles.csv", 2, "Daisy 7, Oscar 7"],
  ["lists/kinds.csv", 2, "Animal 35 7, Animal 9 7"],
  ["lists/booleans.json", 2, "Rex 1, Mia 2, Leo 1"],
  ["lists/status-boolean.ndjson", 2, "Rex 1 pending, Mia 2 pending, Leo 1"],
  ["lists/wrapped.json", 3, "Rex 7, Mia 7", { name: "animal_name", categoryId: "animal_type" }],
  ["lists/jq.json", 1, "Rex 1 available, Mia 2"],
  ["lists/jq-output", 2, "Rex 4, Mia 5", { categoryId: "pet.kind" }],
  ["lists/pipes.txt", 2, "Rex 3 available, Mia 4 sold"],
  ["lists/blanks.csv", 2, "Rex 1 available, Mia  2 sold, Leo 1"],
  ["lists/totals.csv", 3, "Rex 1 available, Mia 2 sold, Leo 1 available"],
  ["lists/names.csv", 2, "Bello 7, Rex 7, Luna 7", { name: "Hundename" }],
  ["lists/excel.csv", 3, "Rex 7 pending, Mia 7 pending"],
  ["lists/petstore.json", 2, "doggie 1 available, kitty 2 pending"],
  ["lists/quoted.tsv", 2, "Rex 1 available, Mia 2 sold"],
  ["shelters/vienna.csv", 2, "Afghanischer", { name: "Hunderasse", categoryId: "Bezirk" }],
  ["shelters/tierheim.csv", 3, "Müller 7"],
  [
    "shelters/bristol.tsv",
    2,
    "Archie 1",
    { name: "#1", categoryId: "#2", hint: "If the first row is an animal" },
  ],
  ["shelters/austin-outcomes.csv", 3, "Chunk 7, Gizmo 7"],
  ["shelters/seattle-licences.csv", 3, "Zen 7"],
  ["shelters/dataframe.csv", 2, "Rex 7"],
  ["shelters/excel-unicode.txt", 3, "Søren 4 available", { categoryId: "Species Code" }],
  [
    "shelters/lost-pets.geojson",
    3,
    "Luna 1",
    { name: "properties.Pet.Name", categoryId: "properties.Pet.Kind" },
  ],
  [
    "a chip number",
    2,
    "Rex 7 sold",
    {},
    "Chip;Name;Tierart;Status;Alter\n276001234;Rex;Hund;sold;3\n",
  ],
  ["no header", 2, "Rex 1 sold", { name: "#1", categoryId: "#2" }, "Rex,1,sold,x\n"],
  ["a column without a name", 2, "Rex 1", {}, ",name,category\n7,Rex,1\n"],
  ["one column", 2, "Rex 7", {}, "name\nRex\n"],
  ["two columns of a name", 2, "Rex 1", { name: "#1 name" }, "name,category,Name\nRex,1,x\n"],
  [
    "a wrapped array",
    3,
    "Rex 3",
    { categoryId: "kind" },
    '{"animals":[{"nmae":"Rex","kind":3,"age":3}]}\n',
  ],
];

/** Returns the words of the flags that an error suggests, as a shell reads them, and as a user completes them. */
function pasted(stderr: string, columns: Columns): readonly string[] {
  const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
  const { hint = "Try it with" } = columns;
  const hints: string[] = error.hints ?? [];
  const found =
    hints.find((each) => each.startsWith(hint)) ?? hints.find((each) => each.startsWith("Try"));
  const [, flags] = /: (.*)$/.exec(found ?? "") ?? [];
  if (flags === undefined) return stderr.includes(" --skip-invalid") ? ["--skip-invalid"] : [];
  return wordsOf(flags).map((word) =>
    word
      .replace(/^<column>(?==(.*)$)/, (all, field: string) => columns[field] ?? all)
      .replace(/(?<=^|=)<id>$/, "7")
      .replace(/(?<==)<status>$/, "pending")
      .replace(/(?<=^|=)<name>$/, "Unnamed"),
  );
}

it.each(wrongInputs)(
  "what is suggested for %s leads to a right dry run in %i commands",
  async (name, times, animals, columns = {}, content) => {
    const file = content === undefined ? path.join(folder, "..", name) : fileOf(content);
    const words: string[] = [];
    for (let count = 1; ; count += 1) {
      const run = await runHere(["add", "--from", file, ...words, "--dry-run", "-o", "ndjson"], {});
      const flags = run.code === 2 && count < 6 ? pasted(run.stderr, columns) : [];
      words.push(...flags);
      if (flags.length > 0) continue;
      expect([run.code, run.stderr]).toEqual([
        words.includes("--skip-invalid") ? 9 : 0,
        run.stderr,
      ]);
      expect(animalsIn(run.stdout).slice(0, animals.length)).toBe(animals);
      expect(count).toBe(times);
      return;
    }
  },
);

it.each<[string, string]>([
  [
    "name:category:status\nRex:1:sold\n",
    'only one column, "name:category:status"; columns are separated by , ; | or tabs',
  ],
  ["<column>=name", "--map must be COLUMN=FIELD"],
  ["<id>", "--category: replace <id> with an integer"],
])("nothing is sent of %j as it stands", async (text, message) => {
  const isFile = text.includes("\n");
  const words = text === "<id>" ? ["--category", text] : isFile ? [] : ["--map", text];
  const file = fileOf(isFile ? text : "name,category\nRex,1\n");
  const { code, stderr } = await runHere(["add", "--from", file, ...words], {});
  expect({ code, isTold: stderr.includes(message) }).toEqual({ code: 2, isTold: true });
  expect(stderr).not.toContain("Try it with");
});
