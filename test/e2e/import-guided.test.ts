import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { screenLines } from "../support/command/screen.ts";
import { documentText } from "../support/documents/documents.ts";
import { envFor, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { startTestStore } from "../support/servers/store.ts";
import { workbookOf } from "../support/workbook.ts";

const up = "\u001B[A";
const down = "\u001B[B";
const enter = "\r";

/** What is on the screen when the answer is typed, without blanks: a narrow terminal breaks lines anywhere. */
type Step = readonly [shown: string, keys: string];

const withoutBlanks = (text: string): string => text.replace(/\s/g, "");

interface Guided {
  readonly columns?: number;
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** Runs `pets add` on a terminal, and types the keys of each step when its question is shown; returns the screen. */
async function guided(args: readonly string[], steps: readonly Step[], options: Guided) {
  const { columns = 80, env, cwd } = options;
  const command = [process.execPath, script, "add", ...args] as const;
  const pty = await startOnPty(command, { columns, rows: 100, env, cwd });
  for (const [shown, keys] of steps) {
    const isShown = async () =>
      withoutBlanks((await screenLines(pty.output, columns)).join("")).includes(
        withoutBlanks(shown),
      );
    const end = performance.now() + 15_000;
    while (!(await isShown())) {
      if (performance.now() > end) throw new Error(`no "${shown}": ${pty.output}`);
      await delay(20);
    }
    pty.type(keys);
  }
  const { code, output } = await pty.ended;
  const lines = await screenLines(output, columns);
  return { code, lines, screen: withoutBlanks(lines.join("")), output };
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

const header = "Animal;Species;Adoption;Chip\n";
const week48 = `${header}Bello;dog;open;276001
Mia;cat;open;276002
Mia;cat;done;276003
`;

/** Bello and a Mia are known, the other Mia was adopted, and another Bello and another Mia came. */
const week49 = `${header}Bello;dog;open;276001
Mia;cat;done;276003
Mia;cat;done;276002
Bello;dog;open;276010
Mia;cat;open;276011
${[2, 3, 4, 5, 6, 7, 8].map((n) => `Neu ${n};cat;open;27602${n}\n`).join("")}`;

// Nothing is offered that is not guessed: "None" is the last of the columns, and of the statuses.
const allAnswered: readonly Step[] = [
  ["Which column is the name?", up.repeat(4) + enter],
  ["Which column is the category?", enter],
  ['"cat" (2 rows) is the category', `x${enter}`],
  ["the category must be an integer", `\u007f2${enter}`],
  ['"dog" (1 row) is the category', `1${enter}`],
  ["Which column is the status?", up + up + enter],
  ['"open" (2 rows) is the status', up.repeat(3) + enter],
  ['"done" (1 row) is the status', up + enter],
  ["Which column identifies an animal", enter],
];

const mapping = `--map Animal=name
--map Species=categoryId
--map Adoption=status
--value category:cat=2
--value category:dog=1
--value status:open=available
--value status:done=sold
--key Chip
--ignore-fields
`;

/** The questions and answers that the README shows. */
const [, picture = ""] =
  /\$ pets add --from week48.csv\n([^]*?)Added 3/.exec(documentText("README.md")) ?? [];
const pictureLines = picture.trimEnd().split("\n");

const keep: readonly Step[] = [
  ["Keep the answers as a mapping", down + enter],
  ["File name:", `shelter.map${enter}`],
];

describe.runIf(ptyAvailable)("a guided import", () => {
  it("is the first of two weeks: the next file needs its mapping alone", async () => {
    const store = await startTestStore();
    const env = envFor(store);
    const cwd = folderWith({ "week48.csv": week48, "week49.csv": week49 });
    const first = await guided(
      ["--from", "week48.csv"],
      [...allAnswered, ...keep, ["Send 3 animals?", down + enter]],
      { env, cwd, columns: 100 },
    );
    expect(first.lines.at(-1)).toMatch(/^Added 3 of 3 animals in /);
    expect(first.lines).toContain("Valid: 3 of 3 rows.");
    expect(first.lines.filter((line) => line.startsWith("? "))).toEqual(pictureLines);
    expect(first.screen).toContain(
      withoutBlanks("without questions: pets add --from week48.csv --mapping shelter.map"),
    );
    expect([first.code, readFileSync(path.join(cwd, "shelter.map"), "utf8")]).toEqual([0, mapping]);
    const next = ["add", "--from", "week49.csv", "--mapping", "shelter.map"];
    const all = await runPets(next, { env, cwd });
    expect(all.code).toBe(2);
    expect(all.stderr).toMatch(/3 of 12 animals are in earlier files: 2 added, 1 changed/);
    const onlyNew = await runPets([...next, "--only-new"], { env, cwd });
    expect(onlyNew.code).toBe(0);
    expect(onlyNew.stderr).toMatch(/changed: Mia was added as available, now sold/);
    expect(onlyNew.stderr).toMatch(/Added 9 of 12 animals/);
    const list = await runPets(["list", "--limit", "100", "-o", "tsv", "--fields", "name"], {
      env,
    });
    const names = list.stdout.trimEnd().split("\n").slice(1).sort();
    const added = [
      "Bello",
      "Bello",
      "Mia",
      "Mia",
      "Mia",
      ...[2, 3, 4, 5, 6, 7, 8].map((n) => `Neu ${n}`),
    ];
    expect(names).toEqual(added);
  });

  it.each([100, 40])("fits %i columns, and No sends nothing", async (columns) => {
    const cwd = folderWith({ "week48.csv": week48 });
    const run = await guided(
      ["--from", "week48.csv"],
      [...allAnswered, ...keep, ["Send 3 animals?", enter]],
      { columns, cwd, env: envFor(await startTestStore()) },
    );
    expect(run.lines.slice(-1)).toEqual(["Nothing was sent."]);
    expect(run.lines).toContain("Mia    2         available");
    expect(run.screen).toContain(withoutBlanks("Its first rows: Animal  Species"));
    expect(run.lines.filter((line) => line.includes("❯"))).toEqual([]);
    expect([run.code, existsSync(path.join(cwd, "shelter.map"))]).toEqual([0, true]);
  });

  const questions = [...allAnswered, ...keep, ["Send 3 animals?", ""] as const];
  it.each([0, 4])("question %i is left with Ctrl-C, and nothing is written", async (at) => {
    const cwd = folderWith({ "week48.csv": week48 });
    const [shown = ""] = questions[at] ?? [];
    const run = await guided(
      ["--from", "week48.csv"],
      [...questions.slice(0, at), [shown, "\u0003"]],
      { cwd, env: envFor(await startTestStore()) },
    );
    expect(run.lines.at(-1)).toBe("pets: interrupted; nothing was sent");
    expect([run.code, existsSync(path.join(cwd, "shelter.map"))]).toEqual([130, false]);
  });

  it("is the first of two weeks of a workbook: one column is renamed, others move", async () => {
    const store = await startTestStore();
    const env = envFor(store);
    const cwd = temporaryFolder();
    const save = (name: string, rows: Rows): void =>
      writeFileSync(path.join(cwd, name), workbookOf([{ name: "Bestand", rows }]));
    const came = new Date(Date.UTC(2026, 10, 20));
    save("kw48.xlsx", [
      ["Bestand der Woche 48"],
      ["Tier", "Tierart", "Stand", "Chip", "seit"],
      ["Bello", "Hund", "frei", "276001", came],
      ["Mia", "Katze", "frei", "276002", came],
      ["Mia", "Katze", "vermittelt", "276002", came],
      ["Summe", 3],
    ]);
    const first = await guided(
      ["--from", "kw48.xlsx"],
      [
        ["Which column is the name?", up.repeat(5) + enter],
        ["Which column is the category?", enter],
        ['"Katze" (2 rows) is the category', `2${enter}`],
        ['"Hund" (1 row) is the category', `1${enter}`],
        ["Which column is the status?", up.repeat(3) + enter],
        ['"frei" (2 rows) is the status', up.repeat(3) + enter],
        ['"vermittelt" (1 row) is the status', up + enter],
        ["Which column identifies an animal", enter],
        ["1 row like a heading or a total", up + enter],
        ["1 row with the key of another row", up + up + enter],
        ...keep,
        [
          "Send 2 animals? 1 was left out as invalid. 1 was left out for a repeated key.",
          down + enter,
        ],
      ],
      { env, cwd, columns: 100 },
    );
    expect(first.lines.join("\n")).toMatch(/Added 2 of 4 animals in .*; 1 repeated, 1 invalid\./);
    expect([first.code, readFileSync(path.join(cwd, "shelter.map"), "utf8")]).toEqual([9, kept]);
    save("kw49.xlsx", [
      ["Bestand der Woche 49"],
      ["Chip", "Art des Tieres", "Tier", "seit", "Stand"],
      ["276001", "Hund", "Bello", came, "frei"],
      ["276002", "Katze", "Mia", came, "vermittelt"],
      ["276003", "Katze", "Leo", came, "frei"],
      ["276003", "Katze", "Leo", came, "vermittelt"],
      ["276004", "Hund", "Rex", came, "frei"],
    ]);
    const next = ["--from", "kw49.xlsx", "--mapping", "shelter.map"];
    const refused = await runPets(["add", ...next, "--only-new"], { env, cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--map names "Tierart"');
    const second = await guided(
      next,
      [
        ['no column "Tierart" any more. Which one is the category now?', up.repeat(2) + enter],
        ["Keep the answers in shelter.map", down + enter],
        [
          "Send 2 new animals? 1 was added earlier. 1 was changed since it was added. 1 was left out for a repeated key.",
          down + enter,
        ],
      ],
      { env, cwd, columns: 100 },
    );
    expect(second.lines).toContain("Updated shelter.map.");
    expect([second.code, readFileSync(path.join(cwd, "shelter.map"), "utf8")]).toEqual([
      0,
      kept.replace("--map Tierart=categoryId\n", "").concat("--map Art des Tieres=categoryId\n"),
    ]);
    const again = await runPets(["add", ...next, "--only-new"], { env, cwd });
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("Nothing sent")]);
    const list = await runPets(["list", "-o", "tsv", "--fields", "name,categoryId,status"], {
      env,
    });
    expect(list.stdout.trimEnd().split("\n").slice(1).sort()).toEqual([
      "Bello\t1\tavailable",
      "Leo\t2\tavailable",
      "Mia\t2\tavailable",
      "Rex\t1\tavailable",
    ]);
  });
});

type Rows = Parameters<typeof workbookOf>[0][number]["rows"];

const kept = `--map Tier=name
--map Tierart=categoryId
--map Stand=status
--value category:Katze=2
--value category:Hund=1
--value status:frei=available
--value status:vermittelt=sold
--key Chip
--repeats first
--ignore-fields
--skip-lines 1
`;
