import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Prompts } from "../../../src/platform/io.ts";
import { runHere } from "../../support/command/world.ts";
import { temporaryFolder } from "../../support/program/program.ts";

/** A question, and how the answer begins that is chosen (by default what is offered), or what is typed. */
type Step = readonly [question: string, answer?: string];

/** Answers questions in this order; a text that is refused is answered again. */
function answering(steps: readonly Step[]) {
  const left = [...steps];
  const next = (question: string): string | undefined => {
    const [shown = "no question", answer] = left.shift() ?? [];
    expect(question).toContain(shown);
    return answer;
  };
  const prompts: Prompts = {
    select: async (question, choices, first) => {
      const names = choices.map(({ name }) => name);
      expect(names.join("")).not.toMatch(/\p{Cc}/u);
      const answer = next(question);
      const offered = choices.findIndex(({ value }) => value === first);
      const at =
        answer === undefined ? offered : names.findIndex((name) => name.startsWith(answer));
      const chosen = choices[answer === undefined ? Math.max(0, at) : at];
      if (chosen === undefined) throw new Error(`${question} ${answer}: ${names.join()}`);
      return chosen.value;
    },
    text: async (question, check, offered = "") => {
      let answer = next(question) ?? offered;
      for (let wrong = check(answer); wrong !== undefined; wrong = check(answer))
        answer = next(wrong) ?? offered;
      return answer;
    },
  };
  return { left, prompts };
}

/** Runs a guided import of a file with this text. */
async function guided(
  text: string,
  steps: readonly Step[],
  flags: readonly string[] = [],
  env = {},
) {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "file"), text);
  const { left, prompts } = answering(steps);
  const run = await runHere(["add", "--from", path.join(folder, "file"), ...flags], {
    prompts,
    terminal: { columns: 200 },
    env: {
      PETS_BASE_URL: "http://127.0.0.1:9/v1",
      PETS_API_KEY: "key-of-the-tests",
      NO_COLOR: "1",
      ...env,
    },
  });
  expect(left).toEqual([]);
  return run;
}

const columns = (...fields: readonly string[]): Step[] =>
  fields.map((each) => [`Which column ${each}`]);
const unkept: Step = ["Keep the answers as a mapping"];
const week = "Tiername;Art;Stand;Chip\nBello;Hund;frei;1\nMia;Katze;frei;2\nMia;Katze;weg;3\n";

it.each<[string, string, readonly Step[], string]>([
  [
    "no header",
    "Bello|1|available\nMia|2|sold\n",
    [["a header?"], ...columns("is the name?", "is the category?", "is the status?"), unkept],
    "--no-header --map '#1=name' --map '#2=categoryId' --map '#3=status'",
  ],
  [
    "titles and totals",
    "Liste;;\n;;\nName;Art;Status\nBello;1;sold\nMia;2;sold\nSumme;;2\n",
    [...columns("is the category?"), ['"2" (1 row) is'], ["without a category"], unkept],
    "--skip-lines 2 --map Art=categoryId --value status:2=available --skip-invalid",
  ],
  [
    "one column twice",
    "Name;Name;category\nBello;x;1\nMia;y;2\n",
    [...columns("is the name?"), unkept],
    "--map '#1=name'",
  ],
  [
    "a line that is no JSON",
    '{"n":"Bello","kind":4}\nnot json\n{"n":"Mia","kind":5}\n',
    [...columns("is the name?", "is the category?"), ["Leave out 1 invalid row?", "Yes"], unkept],
    "--map n=name --map kind=categoryId --skip-invalid",
  ],
  [
    "an array inside",
    '{"data":{"animals":[{"n":"Bello","kind":4},{"n":"Mia","kind":5}]}}',
    [["--items data.animals?"], ...columns("is the name?", "is the category?"), unkept],
    "--format json --items data.animals --map n=name --map kind=categoryId",
  ],
  [
    "keys with controls, words and rows without a name",
    '{"R\\u001b[2J":"Bello\\u0007","Art":"Hund"}\n{"R\\u001b[2J":"Mia","Art":"Katze"}\n{"R\\u001b[2J":" ","Art":"Maus"}\n{"R\\u001b[2J":"Ida","Art":"Maus"}\n',
    [
      ...columns("is the name?", "is the category?"),
      ['"Maus" (2 rows) is category:', "x"],
      ["It must be an integer", "3"],
      ['"Hund" (1 row) is category:', "9*"],
      ["1 row without a name:", "One"],
      ["Their name:", ""],
      ["It must not be empty.", "Nobody"],
      unkept,
    ],
    "--value category:Maus=3 --value category:Hund=9 --value 'category:*=9' --name Nobody",
  ],
])("a guided dry run gets a file with %s right", async (_what, text, steps, flags) => {
  const run = await guided(text, steps, ["--dry-run"]);
  expect(run.stderr).toContain(flags);
  expect(run.stdout).toMatch(/LINE[^]*Bello[^]*Mia/);
  expect(run.stderr + run.stdout).not.toMatch(/[\u0007\u001b]\[2J/);
  expect(run.code).toBe(flags.includes("--skip-invalid") ? 9 : 0);
});

const answered: readonly Step[] = [
  ...columns("is the name?", "is the category?"),
  ["Which column is the status?", "Stand"],
  ["Which column identifies an animal", "Chip"],
  ['"Katze" (2 rows) is category:', "2"],
  ['"Hund" (1 row) is category:', "1"],
  ['"frei" (2 rows) is', "available"],
  ['"weg" (1 row) is', "sold"],
];

it("No sends nothing, and keeps the mapping, which asks nothing any more", async () => {
  const file = path.join(temporaryFolder(), "shelter.map");
  const run = await guided(week, [
    ...answered,
    ["Keep the answers", "Yes"],
    ["", file],
    ["Send 3 animals?"],
  ]);
  expect(run).toMatchObject({ code: 0, stdout: "" });
  expect(run.stderr).toMatch(/Nothing was sent\.\n$/);
  expect(readFileSync(file, "utf8")).toBe(`--map Tiername=name
--map Art=categoryId
--map Stand=status
--key Chip
--ignore-fields
--value category:Katze=2
--value category:Hund=1
--value status:frei=available
--value status:weg=sold
`);
  const next = await guided(week, [], ["--mapping", file, "--dry-run"]);
  expect(next).toMatchObject({ code: 0, stdout: expect.stringMatching(/Mia +2 +sold/) });
});

it.each([
  [["-q"], {}],
  [["--json"], {}],
  [[], { CI: "1" }],
  [[], { TERM: "dumb" }],
])("asks nothing with %j and %j", async (flags, env) => {
  const run = await guided(week, [], flags, env);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("--map") });
});
