import { describe, expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";

const animals = "Tier;Tierart;Stand;Ort\nRex;Hund;frei;A\nMia;Katze;NULL;B\n";

/** Runs a dry run of `animals` with this mapping; returns the rows, or what is said. */
async function run(mapping: string | Uint8Array, ...typed: readonly string[]): Promise<string> {
  const files = [
    "--from",
    fileOf(animals, "list.csv"),
    "--mapping",
    fileOf(mapping, "shelter.map"),
  ];
  const { stdout, stderr, code } = await runHere(
    ["add", ...files, ...typed, "--dry-run", "-o", "csv"],
    {},
  );
  if (code === 0) return stdout.trim().split(/\r?\n/).slice(1).join(" ");
  return `${code}: ${stderr.replace(/\S*\/(?=shelter\.map)/, "")}`;
}

const shelter = [
  "# kept since week 48",
  "--map Tier=name",
  "--map Tierart=category",
  "--value category:Hund=1",
  "--value category:*=2",
  "",
  "--map Stand=status",
  "--value status:frei=available",
  "--value status:NULL=",
  "--ignore-fields",
];

describe("--mapping", () => {
  it.each<[string, string[], string]>([
    ["\n", [], "Rex,1,available Mia,2,"],
    ["\r\n", [], "Rex,1,available Mia,2,"],
    ["\n", ["--value", "category: hund =7"], "Rex,7,available Mia,2,"],
    ["\n", ["--map", "Ort=name"], "A,1,available B,2,"],
    ["\n", ["--status", "sold", "--value", "category:*=9"], "Rex,1,available Mia,9,sold"],
  ])("with line ends %j and %j typed beside it", async (end, typed, rows) => {
    expect(await run(shelter.join(end), ...typed)).toBe(rows);
  });

  it.each<[string, string[], string]>([
    ["--category 1\n--status sold", ["--status", "pending"], "Rex,1,pending Mia,1,pending"],
    [
      "--category 1\n--status sold\n--skip-lines 1\n--no-header\n--map #1=name",
      [],
      "Rex,1,sold Mia,1,sold",
    ],
  ])("%j and %j typed", async (mapping, typed, rows) => {
    const names = mapping.includes("#1") ? "" : "\n--map Tier=name";
    expect(await run(`${mapping}${names}\n--ignore-fields`, ...typed)).toBe(rows);
  });

  it.each([
    ["--map Tier=name\n--nmae x", 'line 2: "--nmae" is not an option that says how a file is read'],
    ["--again", 'line 1: "--again" is not an option that says how a file is read'],
    ["Tier=name", 'line 1: "Tier=name" is not an option'],
    ["--map=Tier=name", 'line 1: "--map=Tier=name" is not an option'],
    [" --map Tier=name", 'line 1: " --map Tier=name" is not an option'],
    ["--no-header yes", "line 1: --no-header takes no value"],
    ["#\n\n--map", "line 3: --map needs a value"],
    ["--map Tier=nmae", "line 1: --map must be COLUMN=FIELD"],
    ["--map <column>=name", "line 1: --map must be COLUMN=FIELD"],
    ["--map a=name\n--map b=name", 'line 2: --map "b=name" contradicts --map "a=name"'],
    ["--value category:Hund=<id>", "line 1: --value"],
    ["--category <id>", "line 1: It must be an integer."],
    ["--name <name>", "line 1: It must be a name in its place."],
    ["--status frei", "line 1: Allowed choices are available, pending, sold."],
    ["--skip-lines 0", "line 1: It must be from 1 to"],
  ])("refuses %j by its line", async (mapping, message) => {
    expect(await run(mapping)).toContain(`2: pets: shelter.map, ${message}`);
  });

  it("with a byte-order mark is read, and refused where it is not UTF-8", async () => {
    expect(await run(`\uFEFF${shelter.join("\n")}`)).toBe("Rex,1,available Mia,2,");
    const latin1 = Buffer.from("--map Größe=name", "latin1");
    expect(await run(latin1)).toBe("2: pets: shelter.map is not UTF-8 text; save it as UTF-8\n");
  });

  it("that is not there is named", async () => {
    const words = ["--from", fileOf(animals), "--mapping", "/none/shelter.map"];
    const { code, stderr } = await runHere(["add", ...words], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("cannot read /none/shelter.map"),
    });
  });
});
