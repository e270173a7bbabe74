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
    `dataframe.csv --map species=category --map outcome=status --value category:dog=1 --value category:cat=2 --value status:adoption=sold --value 'status:*=pending' --status available --ignore-fields`,
    "Rex 1 sold, Mia 2 pending, Leo 2 available",
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
    `bristol.tsv --no-header --map '#1=name' --map '#2=category' --ignore-fields`,
    `Archie 1, Bella 1, O'Malley; "Tom" 2`,
  ],
  [
    `excel-unicode.txt --encoding utf-16le --map 'Pet Name=name' --map 'Species Code=category' --map 'Adoption Status=status' --ignore-fields`,
    "Søren 4 available, Ōkami 4 sold",
  ],
  [
    `vienna.csv --skip-lines 1 --map Hunderasse=name --map Bezirk=category --ignore-fields`,
    "Afghanischer Windhund 1, Airedale Terrier; alt 2",
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
  const sent = run.stdout
    .trimEnd()
    .split("\n")
    .map((pet) => Object.values(JSON.parse(pet)).join(" "));
  expect(sent.join(", ")).toBe(expected);
  expect(run.code).toBe(words.includes("--skip-invalid") ? 9 : 0);
});

type Columns = Readonly<Record<string, string>>;

/** A file of a shelter; how often to paste; what a user puts in place of `<column>`; or a name, and the content. */
const wrongInputs: [string, number, Columns?, string?][] = [
  ["vienna.csv", 1, { name: "Hunderasse", categoryId: "Bezirk" }],
  ["tierheim.csv", 3],
  ["bristol.tsv", 1, { name: "#1", categoryId: "#2" }],
  ["austin-outcomes.csv", 2],
  ["seattle-licences.csv", 2],
  ["dataframe.csv", 2],
  ["excel-unicode.txt", 2, { categoryId: "Species Code" }],
  ["lost-pets.geojson", 2, { name: "properties.Pet.Name", categoryId: "properties.Pet.Kind" }],
  ["a chip number", 2, {}, "Chip;Name;Tierart;Status;Alter\n276001234;Rex;Hund;sold;3\n"],
  ["no header", 1, { name: "#1", categoryId: "#2" }, "Rex,1,sold,x\n"],
  ["a column without a name", 1, {}, ",name,category\n7,Rex,1\n"],
  ["one column", 1, {}, "name\nRex\n"],
  ["two columns of a name", 1, {}, "name,category,Name\nRex,1,x\n"],
  ["a wrapped array", 2, { categoryId: "kind" }, '{"animals":[{"nmae":"Rex","kind":3,"age":3}]}\n'],
];

/** Returns the words of the flags that an error suggests, as a shell reads them, and as a user completes them. */
function pasted(stderr: string, columns: Columns): readonly string[] {
  const [, flags] = /^Try it with: (.*)$/m.exec(stderr) ?? [];
  if (flags === undefined) return [];
  return wordsOf(flags).map((word) =>
    word
      .replace(/^<column>(?==(.*)$)/, (all, field: string) => columns[field] ?? all)
      .replace(/(?<=^|=)<id>$/, "7")
      .replace(/(?<==)<status>$/, "pending")
      .replace(/(?<=^|=)<name>$/, "Unnamed"),
  );
}

it.each<[string, number, Columns?, string?]>(wrongInputs)(
  "what is suggested for %s cures it",
  async (name, times, columns = {}, content) => {
    const file = content === undefined ? path.join(folder, name) : fileOf(content);
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
  },
);
