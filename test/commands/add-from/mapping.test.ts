import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  keepMapping,
  whyNoMapping,
  withAnswer,
  withMapping,
} from "../../../src/commands/add-from/mapping.ts";
import { readingOf } from "../../../src/commands/add-from/reading-options.ts";
import type { ReadOptions } from "../../../src/imports/types.ts";
import { fileOf, openAt } from "../../imports/support/input.ts";
import { runHere } from "../../support/command/world.ts";
import { temporaryFolder } from "../../support/program/program.ts";

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
    ["--category <id>", "line 1: --category: replace <id> with an integer"],
    ["--name <name>", "line 1: --name: replace <name> with a name"],
    ["--status frei", 'line 1: --status must be available, pending or sold, not "frei"'],
    ["--skip-lines 0", 'line 1: --skip-lines must be from 1 to 1,000,000, not "0"'],
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

const given = (file: string, options: ReadOptions = {}) => ({
  ...options,
  from: file,
  mapping: fileOf("", "none.map"),
  concurrency: 8,
});

describe("the import of a mapping", () => {
  const typed: ReadOptions = {
    map: ["Tier=name", "Tierart=category"],
    value: ["category:Hund=1", "category:Katze=2"],
    key: "Ort",
    encoding: "windows-1252",
    ignoreFields: true,
    status: "sold",
    category: 9n,
  };
  const same = [
    "--category 9",
    "--ignore-fields",
    "--encoding latin1",
    "--key  ORT",
    "--value categoryId:KATZE=2",
    "--status SOLD",
    "--map tierart=CategoryID",
    "--value CATEGORY: hund = 1",
    "--map  TIER =Name",
  ];

  it.each<[string, string[], ReadOptions, boolean]>([
    ["in another order and spelling", same, {}, true],
    [
      "half of it typed",
      same,
      { map: ["TIER=name"], category: 9n, value: ["category:hund=1"] },
      true,
    ],
    ["with another value typed", same, { value: ["category:hund=3"] }, false],
    ["with a line less", same.slice(1), {}, false],
    ["with another encoding", [...same, "--encoding utf-8"], {}, false],
  ])("is that of what is typed: %s", async (_what, lines, beside, isSame) => {
    const file = fileOf(animals, "list.csv");
    const hashOf = async (options: ReadOptions): Promise<string> => {
      const input = await openAt(file, readingOf(options));
      const { hash } = await input.check();
      input.close();
      return hash;
    };
    const mapping = fileOf(lines.join("\n"), "shelter.map");
    const read = withMapping({ ...given(file, beside), mapping });
    expect((await hashOf(read)) === (await hashOf(typed))).toBe(isSame);
  });
});

describe("a file as a mapping", () => {
  const most = "#".repeat(64 * 1024);

  it("may have 64 KiB, and not a byte more", async () => {
    expect(await run(most)).not.toContain("64 KiB");
    expect(await run(`${most}#`)).toMatch(
      /^2: pets: --mapping \S+ must not be larger than 64 KiB$/m,
    );
  });

  it("of 3,000 lines is told by the line that contradicts another", async () => {
    const lines = Array.from({ length: 3000 }, (_none, at) => `--value status:${at}=`);
    const rows = [...lines.slice(0, -1), "--value status: 7 =sold"].join("\n");
    expect(await run(rows)).toContain(
      '2: pets: shelter.map, line 3000: --value gives " 7 " two values for status',
    );
  });

  it.each<[string, (folder: string) => string, RegExp]>([
    ["/dev/zero", () => "/dev/zero", /must be a regular file/],
    ["a directory", (folder) => folder, /must be a regular file/],
    [
      "a FIFO",
      (folder) => {
        execFileSync("mkfifo", [path.join(folder, "fifo")]);
        return path.join(folder, "fifo");
      },
      /must be a regular file/,
    ],
    ["the input", (folder) => path.join(folder, "a.csv"), /must not be the input/],
    [
      "a link to the input",
      (folder) => {
        symlinkSync("a.csv", path.join(folder, "link"));
        return path.join(folder, "link");
      },
      /must not be the input/,
    ],
    ["the results", (folder) => path.join(folder, "results.csv"), /must not be the results/],
  ])("may not be %s", async (_what, place, message) => {
    const folder = temporaryFolder();
    const file = path.join(folder, "a.csv");
    const results = path.join(folder, "results.csv");
    for (const each of [file, results]) writeFileSync(each, "# nothing\n");
    const mapping = place(folder);
    const words = ["--from", file, "--mapping", mapping, "--results", results, "--dry-run"];
    const { code, stderr } = await runHere(["add", ...words], {});
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(readFileSync(results, "utf8")).toBe("# nothing\n");
  });
});

describe("a mapping that is kept", () => {
  const options: ReadOptions = { map: ["Tier=name", "Art=categoryId"], ignoreFields: true };

  it.each<[string, string | undefined, string]>([
    ["is new", undefined, "--map Tier=name\n--map Art=categoryId\n--ignore-fields\n"],
    [
      "keeps comments and what agrees",
      "# week 48\n\n--map Tier=name\n--status sold\n# end\n",
      "# week 48\n\n--map Tier=name\n--status sold\n# end\n--map Art=categoryId\n--ignore-fields\n",
    ],
    [
      "loses what is contradicted",
      "--map Name=name\n# kind\n--map Art=status\n--value status:x=\n",
      "# kind\n--value status:x=\n--map Tier=name\n--map Art=categoryId\n--ignore-fields\n",
    ],
    [
      "had CRLF",
      "# week 48\r\n--map Tier=name\r\n",
      "# week 48\n--map Tier=name\n--map Art=categoryId\n--ignore-fields\n",
    ],
    [
      "had no last line end",
      "--ignore-fields\n--map Tier=name",
      "--ignore-fields\n--map Tier=name\n--map Art=categoryId\n",
    ],
  ])("%s", (_what, before, after) => {
    const file = fileOf(before ?? "", "shelter.map");
    if (before === undefined) rmSync(file);
    expect(keepMapping(file, given("a.csv", options))).toBe(before === undefined);
    expect(readFileSync(file, "utf8")).toBe(after);
    keepMapping(file, given("a.csv", options));
    expect(readFileSync(file, "utf8")).toBe(after);
  });

  it.each<[string, string, RegExp]>([
    ["a file that is no mapping", import.meta.filename, /no mapping: .*line 1/],
    ["a blank name", " ", /must be a file name/],
    ["a directory", path.sep, /is a directory/],
    ["a directory that is not there", "/none/at/all/shelter.map", /no directory \/none\/at\/all/],
  ])("is refused as %s", (_what, file, message) => {
    expect(whyNoMapping(file, given("a.csv"))).toMatch(message);
  });

  it("may be one that says less, but not one that would read the file otherwise", () => {
    const less = fileOf("# week 48\n--map TIER=name\n", "shelter.map");
    const more = fileOf("--map Tier=name\n--category 4\n", "shelter.map");
    expect(whyNoMapping(less, given("a.csv", { map: ["TIER=name"] }))).toBeUndefined();
    expect(whyNoMapping(more, given("a.csv", options))).toMatch(/it has --category 4\.$/);
  });

  it("is refused where the results are to be", () => {
    const file = path.join(temporaryFolder(), "results.csv");
    expect(whyNoMapping(file, { ...given("a.csv"), results: file })).toMatch(/the results/);
  });
});

it("an answer takes the place of what it contradicts, or says in another case", () => {
  const map = ["tier=name", "Rasse=category", "Stand=status"];
  const value = ["category:hund=1", "category:Katze=2"];
  const options = { from: "a.csv", concurrency: 8, map, value, key: "Chip", header: false };
  const flags = ["Tier=name", "Art=category"].map((each) => ["--map", each]);
  const answer = [...flags, ["--value", "category:Hund=3"], ["--key", "Nr"], ["--skip-invalid"]];
  expect(withAnswer(options, answer)).toEqual({
    ...options,
    map: ["Stand=status", "Tier=name", "Art=category"],
    value: ["category:Katze=2", "category:Hund=3"],
    key: "Nr",
    skipInvalid: true,
  });
});
