import { describe, expect, it } from "vitest";
import { workbookOf } from "../../support/workbook.ts";
import { type Flags, outcomeOf } from "../support/input.ts";

const next = (flag: string) => `pets ${flag}`;
const skip = "To send only the valid rows: pets --skip-invalid";
const lone = "looks like a heading or a total";

const quoteIt = "; quote its name if it is an animal";

const known = "header";
const data = "data";
const both = "both readings";

describe("a first row", () => {
  it.each<[string, string, string]>([
    ["name,Art", "Rex,Hund", known],
    ["Tiername,Art", "Rex,Hund", known],
    ["Name,2024", "Rex,1", known],
    ["name,sold", "Rex,1", known],
    ["Rex,1,sold", "", data],
    ["Rex;2024-01-05;SOLD", "Mia;2024-02-05;sold", data],
    ["Rex,Hund", "Mia,Hund", data],
    ["Rex,Hund", "Mia, HUND \nBo,Katze", data],
    ["Tier,Art", "Rex,Hund\nMia,Katze", both],
    ["Tier,2024", "Rex,7\nMia,8", both],
    ["Rex,2024", "Mia,2024\nBo,2024", both],
    ["Rex,sold", "Mia,pending", both],
    ["1,2", "3,4", both],
    ["Tier,Art", "Tier,Art\nRex,Hund\nTier,Art", both],
  ])("%j above %j is %s", async (first, below, expected) => {
    const found = await outcomeOf(`${first}\n${below}\n`, "a.csv");
    const { details = [], hints = [] } = "hints" in found ? found : {};
    const places = first.split(/[,;]/).map((cell, at) => `#${at + 1} ${JSON.stringify(cell)}`);
    const other = `; if it is no header, the first row is ${places.join(", ")}`;
    const isData = details.some((detail) => detail.includes("expected a header such as"));
    const isBoth =
      details.some((detail) => detail.endsWith(other)) &&
      hints.some((hint) => hint.startsWith("Try it with: --map")) &&
      hints.some((hint) => hint.startsWith("If the first row is an animal: --no-header --map"));
    expect([isData, hints.some((hint) => hint.includes("--no-header")), isBoth]).toEqual(
      { [known]: [false, false, false], [data]: [true, true, false], [both]: [false, true, true] }[
        expected
      ],
    );
  });
});

const header = "name;category;status\n";

describe("rows that are none", () => {
  it.each<[string, string, Flags, string[]]>([
    ["rulers", "----;:--:;\n Rex ;1;\n+=| ;;\n|;|;|\nMia;2;\n", {}, ["Rex 1", "Mia 2"]],
    [
      "the header once more",
      `Rex;1;\n${header} NAME ;Category;STATUS\nMia;2;\n`,
      {},
      ["Rex 1", "Mia 2"],
    ],
    [
      "a heading with a default that was typed",
      "Hunde;;\nRex;;sold\n",
      { category: 1n },
      ["Hunde 1", "Rex 1 sold"],
    ],
  ])("%s: %j", async (_what, rows, flags, animals) => {
    expect(await outcomeOf(header + rows, "a.csv", flags)).toEqual(animals);
  });

  it.each<[string, string, string[], string[]]>([
    [
      "headings",
      "Hunde;;\nRex;1;sold\nBo;1;sold\nKatzen;;\nMia;2;sold\n",
      [`2 ${lone}`, `5 ${lone}`],
      [skip],
    ],
    ["a total", "Rex;1;sold\nBo;1;sold\nTotal;2;\n", [`4 ${lone}${quoteIt}`], [skip]],
    ["a total like all else", "Rex;1;\nBo;1;\nSumme:;2;\n", [`4 ${lone}${quoteIt}`], [skip]],
    [
      "a header in other words",
      "Rex;1;sold\nTiername;Tierart;Statut\nMia;2;sold\n",
      [`3 ${lone}`],
      [skip],
    ],
    [
      "a line in quotes",
      'Rex;1;sold\n"Mia;2;sold"\n',
      ["3 the whole line is in quotes; quote each value by itself"],
      [skip],
    ],
    [
      "a total below a category of words",
      "Rex;Hund;sold\nBo;Hund;sold\nBestand;2;\n",
      [
        `2 categoryId must be an integer, not "Hund"`,
        `3 categoryId must be an integer, not "Hund"`,
        `4 ${lone}${quoteIt}`,
      ],
      ["Try it with: --value 'category:Hund=<id>'"],
    ],
    [
      "headings of rows without a category",
      "Hunde;;\nRex;;sold\nMia;;sold\n",
      [`2 ${lone}`, "3 categoryId is missing", "4 categoryId is missing"],
      [],
    ],
    [
      "no row with a category",
      "Rex;;sold\nMia;;sold\n",
      ["2 categoryId is missing", "3 categoryId is missing"],
      ["Try it with: --category '<id>'"],
    ],
    ["a row without a category", "Rex;;sold\nMia;1;sold\n", ["2 categoryId is missing"], [skip]],
    [
      "merged cells",
      "Rex;Hund;sold\nBo;;sold\nMia;Katze;sold\n",
      [
        `2 categoryId must be an integer, not "Hund"`,
        "3 categoryId is missing",
        `4 categoryId must be an integer, not "Katze"`,
      ],
      [
        "Try it with: --value 'category:Hund=<id>' --value 'category:Katze=<id>' --value 'category:*=<id>'",
      ],
    ],
    [
      "a row without a name",
      ";1;sold\nMia;2;sold\n",
      ["2 name must not be empty"],
      ["Try it with: --name '<name>'", skip],
    ],
    [
      "a heading, a row without a name",
      "Hunde;;\nRex;1;sold\n;2;sold\n",
      [`2 ${lone}`, "4 name must not be empty"],
      ["Try it with: --name '<name>'", skip],
    ],
  ])("%s: %j", async (_what, rows, details, hints) => {
    expect(await outcomeOf(header + rows, "a.csv", { next })).toMatchObject({ details, hints });
  });

  it.each([
    ['Rex;1;sold\n"Total";2;\n', ["Rex 1 sold", "Total 2"]],
    ["Rex;1;sold\nTotal Eclipse;2;\n", ["Rex 1 sold", "Total Eclipse 2"]],
    ["Rex;1;sold\nGesamt;2;sold\nName;1;sold\n", ["Rex 1 sold", "Gesamt 2 sold", "Name 1 sold"]],
  ])("names in quotes, or in whole rows, are names: %j", async (rows, animals) => {
    expect(await outcomeOf(header + rows, "a.csv")).toEqual(animals);
  });

  it.each([
    "name,Rex,Mia\ncategory,1,2\nstatus,available,sold\n",
    "Name,Rex,Mia\nSpecies,Dog,Cat\nAge,3,4\n",
    "Name,Rex\nSpecies,Dog\nBreed,Pug\nAge,3\nSex,f\nColor,red\nChip,7\nStatus,sold\n",
  ])("a table with its animals in columns has none: %j", async (text) => {
    const flags = { map: ["Rex=category"], value: ["category:*=7"], ignoreFields: true };
    for (const given of [{}, flags, { ignoreFields: true, category: 7n }])
      expect(await outcomeOf(text, "a.csv", given)).toMatchObject({
        message: expect.stringContaining("transpose the table"),
        hints: [],
      });
  });

  it("a total is none by a default, where others have more", async () => {
    const text = "name,chip\nRex,1\nKATER,\nTotal,\n";
    const found = await outcomeOf(text, "a.csv", { category: 2n, key: "chip" });
    expect(found).toMatchObject({ details: [`4 ${lone}${quoteIt}`] });
  });

  it("one animal may have the name of a field", async () => {
    const names = ["Rex", "Mia", "Status", "Max", "Ida", "Leo", "Kim"];
    const text = `name,kind\n${names.map((name) => `${name},1\n`).join("")}`;
    const animals = names.map((name) => `${name} 1`);
    expect(await outcomeOf(text, "a.csv", { map: ["kind=category"] })).toEqual(animals);
  });

  it.each([["name,kind\nRex,Dog\n2,Dog Count\nMia,Cat\n", ["Rex 1", "Mia 9"]]])(
    "a heading is none because of a word for all others: %j",
    async (text) => {
      const flags = { map: ["kind=category"], value: ["category:Dog=1", "category:*=9"] };
      expect(await outcomeOf(text, "a.csv", flags)).toMatchObject({
        details: [`3 ${lone}${quoteIt}`],
      });
    },
  );

  it.each<[string, string, string]>([
    [
      "that come again",
      "name;category;status",
      "Hunde;;\nRex;;sold\nHunde;;\nMia;;sold\nLeo;;sold\n",
    ],
    ["as many as animals", "name;category;status", "Hunde;;\nRex;;sold\nKatzen;;\nMia;;sold\n"],
    ["in a column of their own", "category;name", "Hund;\n;Rex\n;Mia\nKatze;\n;Bo\n"],
  ])("headings %s become no animals by a default", async (_what, first, rows) => {
    const value = ["category:Hund=1", "category:Katze=2"];
    const found = await outcomeOf(`${first}\n${rows}`, "a.csv", { value });
    expect("hints" in found && found.hints.join()).not.toMatch(/--(?:category|name) /);
  });

  it.each<[string, string]>([
    ["Name;Status", "Hunde;\nRex;sold\nMia;sold\n"],
    ["Tiername;Farbe;Status", "Hunde;;\nRex;rot;sold\nMia;blau;sold\n"],
    ["Rufname;Farbe;Stand", "Hunde;;\nRex;rot;frei\nMia;blau;weg\n"],
  ])("headings below %j, which has no category: no default for all", async (first, rows) => {
    const found = await outcomeOf(`${first}\n${rows}`, "a.csv");
    const { details = [], hints = [] } = "hints" in found ? found : {};
    expect(details.join()).toContain("line 2 (Hunde) looks like a heading or a total");
    expect(hints.join()).not.toContain("--category");
  });
});

it.each<[string, string | Uint8Array, string]>([
  ["a.csv", Buffer.from(",name,category\n0,Rex,1\n1,M\xffia,2\n", "latin1"), "3 invalid UTF-8"],
  ["a.csv", `,name,category\n0,Rex,1\n1,${"x".repeat(2 ** 20)},2\n`, "3 row longer than 1 MiB"],
  ["a.json", '[["name","category"],["Rex",1],{}]', "3 must be a JSON array"],
  ["a.json", '[["name","category"],["Rex",1],["Mia"', "3 invalid JSON"],
])("%s: a row that cannot be read is not the header once more: %#", async (name, text, detail) => {
  expect(await outcomeOf(text, name, { ignoreFields: true })).toMatchObject({
    details: [expect.stringContaining(detail)],
  });
});

it("a quoted header of JSON is not told to be CSV, and a sheet that is skipped not to be empty", async () => {
  const text = JSON.stringify([
    ['"name"', '"Art"'],
    ["Rex", "1"],
  ]);
  expect(JSON.stringify(await outcomeOf(text, "a.json"))).not.toContain("CSV, not TSV");
  const sheet = workbookOf([{ name: "Dogs", rows: [["name"], ["Rex"]] }]);
  expect(await outcomeOf(sheet, "a.xlsx", { skipLines: 9 })).toMatchObject({
    message: expect.stringContaining("has no lines after --skip-lines 9"),
  });
  const empty = workbookOf([{ name: "Leer", rows: [] }]);
  expect(await outcomeOf(empty, "a.xlsx", { sheet: "leer" })).toMatchObject({
    message: expect.stringContaining('has no rows on the sheet "leer"'),
  });
});
