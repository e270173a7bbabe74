import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/core/errors.ts";
import type { Prompts } from "../../../src/platform/io.ts";
import { runHere } from "../../support/command/world.ts";
import { envFor, temporaryFolder } from "../../support/program/program.ts";
import { failing, startShop } from "../../support/servers/shop.ts";

const ctrlC = "\u0003";

/** A question, and how the answer begins that is chosen (by default what is offered), or what is typed. */
type Step = readonly [question: string, answer?: string];

/** Answers questions in this order; a text that is refused is answered again. */
function answering(steps: readonly Step[]) {
  const left = [...steps];
  const asked: string[] = [];
  const next = (question: string): string | undefined => {
    const [shown = "no question", answer] = left.shift() ?? [];
    expect(question).toContain(shown);
    if (answer === ctrlC) throw new Failure("interrupted", "interrupted");
    return answer;
  };
  const prompts: Prompts = {
    select: async (question, choices, first) => {
      const names = choices.map(({ name }) => name);
      asked.push(`${question} [${names.join(" / ")}]`);
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
  return { left, asked, prompts };
}

interface Guided {
  readonly env?: Readonly<Record<string, string>>;
  readonly shop?: Awaited<ReturnType<typeof startShop>>;
  readonly columns?: number;
}

/** Runs a guided import of a file with this text. */
async function guided(
  text: string | Uint8Array,
  steps: readonly Step[],
  flags: readonly string[] = [],
  { shop, columns = 200, ...given }: Guided = {},
) {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, text);
  const { left, asked, prompts } = answering(steps);
  const store = shop ?? (await startShop("store-1"));
  const env = { ...envFor(store), NO_COLOR: "1", ...given.env };
  const words = ["add", "--from", file, ...flags];
  const run = await runHere(words, { prompts, terminal: { columns }, env });
  expect([left, run.stderr]).toEqual([[], run.stderr]);
  const [, printed = ""] = /without questions: pets (.*)\n/.exec(run.stderr) ?? [];
  /** Runs the printed command, where nobody can be asked. */
  const again = (...more: readonly string[]) => runHere([...wordsOf(printed), ...more], { env });
  return { ...run, file, env, asked, printed, shop: store, again };
}

/** Returns the words of a command line, as a shell reads them. */
const wordsOf = (line: string): readonly string[] =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

const asks =
  (question: string) =>
  (column?: string): Step =>
    column === undefined ? [question] : [question, column];
const name = asks("Which column is the name?");
const category = asks("Which column is the category?");
const status = asks("Which column is the status?");
const key = asks("Which column identifies an animal");
const renamed = asks("any more. Which one is the");
const unkept: Step = ["Keep the answers as a mapping"];
const week = "Tiername;Art;Stand;Chip\nBello;Hund;frei;1\nMia;Katze;frei;2\nMia;Katze;weg;3\n";

it.each<[string, string, readonly Step[], string]>([
  [
    "no header",
    "Bello|1|available\nMia|2|sold\n",
    [["What is the first row?"], name("#1"), category("#2"), status(), unkept],
    "--map '#1=name' --map '#2=categoryId' --map '#3=status' --no-header",
  ],
  [
    "titles and totals",
    "Liste;;\n;;\nName;Art;Status\nBello;1;sold\nMia;2;sold\nSumme;;2\n",
    [category("Art"), ["1 row like a heading or a total", "Leave out"], unkept],
    "--map Name=name --map Art=categoryId --map Status=status --skip-lines 2 --skip-invalid",
  ],
  [
    "one column twice",
    "Name;Name;category\nBello;x;1\nMia;y;2\n",
    [name("#1 Name"), unkept],
    "--map '#1 Name=name'",
  ],
  [
    "a line that is no JSON",
    '{"n":"Bello","kind":4}\nnot json\n{"n":"Mia","kind":5}\n',
    [name("n"), category("kind"), ["1 row that cannot be read", "Leave out"], unkept],
    "--map n=name --map kind=categoryId --skip-invalid",
  ],
  [
    "an array inside",
    '{"data":{"animals":[{"n":"Bello","kind":4},{"n":"Mia","kind":5}]}}',
    [["Where are the animals?", "data.animals (2 rows)"], name("n"), category("kind"), unkept],
    "--map n=name --map kind=categoryId --format json --items data.animals",
  ],
  [
    "keys with controls, words and rows without a name",
    '{"R\\u001b[2J":"Bello\\u0007","Art":"Hund"}\n{"R\\u001b[2J":"Mia","Art":"Katze"}\n{"R\\u001b[2J":" ","Art":"Maus"}\n{"R\\u001b[2J":"Ida","Art":"Maus"}\n',
    [
      name("R"),
      category("Art"),
      ['"Maus" (2 rows) is the category', "x"],
      ["the category must be an integer", "3"],
      ['"Hund" (1 row) is the category', "9*"],
      ["1 row without a name. What should happen to it?", "One"],
      ["Their name:", ""],
      ["the name must not be empty", "Nobody"],
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
  name(),
  category("Art"),
  ['"Katze" (2 rows) is the category', "2"],
  ['"Hund" (1 row) is the category', "1"],
  status("Stand"),
  ['"frei" (2 rows) is', "available"],
  ['"weg" (1 row) is', "sold"],
  key(),
];

it("No sends nothing, and keeps the mapping, which asks nothing any more", async () => {
  const file = path.join(temporaryFolder(), "shelter.map");
  const run = await guided(week, [
    ...answered,
    ["Keep the answers", "Yes"],
    ["", file],
    ["Send 3 animals?"],
  ]);
  expect(run.stderr).toContain(`Wrote ${file}.`);
  expect(run).toMatchObject({ code: 0, stdout: "" });
  expect(run.stderr).toMatch(/Nothing was sent\.\n$/);
  expect(readFileSync(file, "utf8")).toBe(`--map Tiername=name
--map Art=categoryId
--map Stand=status
--value category:Katze=2
--value category:Hund=1
--value status:frei=available
--value status:weg=sold
--key Chip
--ignore-fields
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
  const run = await guided(week, [], flags, { env });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("--map") });
});

const send: Step = ["Send", "Yes"];

const typed = [
  ...["Tiername=name", "Tierart=category", "Stand=status"].flatMap((map) => ["--map", map]),
  ...["category:Hund=1", "category:Katze=2", "status:frei=available", "status:weg=sold"].flatMap(
    (value) => ["--value", value],
  ),
  "--key",
  "Chip",
];

describe("a column that was renamed is asked about alone", () => {
  it.each<[string, string, readonly Step[], string[]]>([
    ["typed", week, [renamed("Art")], typed],
    [
      "typed with =",
      week,
      [renamed("Art")],
      typed.join("\0").replace("--map\0Tierart", "--map=Tierart").split("\0"),
    ],
    [
      "typed, as the key",
      week.replace("Chip", "Marke"),
      [renamed("Art"), renamed("Marke")],
      [...typed, "--ignore-fields"],
    ],
    [
      "a path of JSON",
      '[{"pet":{"nm":"Bello"},"kind":1},{"pet":{"nm":"Mia"},"kind":2},{"pet":{"nm":"Mia"},"kind":3}]',
      [['no column "animal.nm" any more. Which one is the name now?', "pet.nm"]],
      ["--map", "animal.nm=name", "--map", "kind=category", "--ignore-fields"],
    ],
    [
      "a path of JSON, inside what is still there",
      '[{"pet":{"nm":"Bello"},"kind":1},{"pet":{"nm":"Mia"},"kind":2},{"pet":{"nm":"Mia"},"kind":3}]',
      [['no column "pet.name" any more. Which one is the name now?', "pet.nm"]],
      ["--map", "pet.name=name", "--map", "kind=category", "--ignore-fields"],
    ],
  ])("%s", async (_what, text, steps, flags) => {
    const run = await guided(text, [...steps, unkept, send], flags);
    expect([run.code, run.shop.names()]).toEqual([0, ["Bello", "Mia", "Mia"]]);
    expect(run.printed).not.toMatch(/Tierart|animal\.nm|pet\.name/);
    const again = await run.again();
    expect([again.code, run.shop.posts, again.stderr]).toEqual([
      0,
      3,
      expect.stringContaining("Nothing"),
    ]);
  });

  it("of a mapping, and typed in another case", async () => {
    const mapping = path.join(temporaryFolder(), "shelter.map");
    writeFileSync(mapping, "--map Tierart=category\n");
    const flags = ["--mapping", mapping, "--map", "TIERART=category"];
    const keep: Step = [`Keep the answers in ${mapping}`];
    const run = await guided("name;Art\nBello;1\n", [renamed("Art"), keep, send], flags);
    expect([run.code, run.shop.names()]).toEqual([0, ["Bello"]]);
  });

  it("of a mapping, which is extended", async () => {
    const mapping = path.join(temporaryFolder(), "shelter.map");
    const kept = "# week 47\n--map Tiername=name\n--map Stand=status\n--ignore-fields\n";
    const values =
      "--value category:Hund=1\n--value category:Katze=2\n--value status:frei=available\n--value status:weg=sold\n";
    writeFileSync(mapping, `${kept}--map Tierart=category\n${values}`);
    const keep: Step = [`Keep the answers in ${mapping}`, "Yes"];
    const run = await guided(week, [renamed("Art"), keep, send], ["--mapping", mapping]);
    expect([run.code, run.shop.posts]).toEqual([0, 3]);
    expect(readFileSync(mapping, "utf8")).toBe(`${kept}${values}--map Art=categoryId\n`);
    expect(run.printed).toBe(`add --from ${run.file} --mapping ${mapping}`);
    expect((await run.again()).code).toBe(0);
    expect(run.shop.posts).toBe(3);
  });
});

it("the printed command finishes what the run was kept from sending", async () => {
  const shop = await startShop("store-1");
  shop.on("Mia", failing(403));
  const run = await guided(week, [...answered, unkept, send], ["--concurrency", "1"], { shop });
  expect([run.code, shop.names()]).toEqual([4, ["Bello"]]);
  shop.intercept = () => false;
  expect((await run.again()).code).toBe(0);
  expect(shop.names()).toEqual(["Bello", "Mia", "Mia"]);
  expect(await run.again()).toMatchObject({ code: 0 });
  expect(shop.posts).toBe(4);
});

const turkish = Buffer.from("name;category\nT\xfcrk\xe7e;1\nYa\xf0mur;2\n\xdeeker;2\n", "latin1");
const arrays = '{"cats":[{"n":"Mia","k":2}],"dogs":[{"n":"Bello","k":1},{"n":"Rex","k":1}]}';

it.each<[string, string | Uint8Array, readonly Step[], string]>([
  [
    "encodings",
    turkish,
    [["How does this word read right?", "windows-1254"], unkept, send],
    "Yağmur",
  ],
  [
    "arrays",
    arrays,
    [["Where are the animals?", "cats (1 row)"], name("n"), category("k"), unkept, send],
    "Mia",
  ],
])("%s are choices, and with none of them nothing is sent", async (_what, text, steps, sent) => {
  const run = await guided(text, steps);
  expect([run.code, run.shop.names()]).toEqual([0, expect.arrayContaining([sent])]);
  expect((await run.again()).code).toBe(0);
  const [[question] = [""]] = steps;
  const none = await guided(text, [[question, "None"]]);
  expect([none.code, none.shop.posts, none.asked.length]).toEqual([2, 0, 1]);
});

it.each<[string, readonly Step[]]>([
  ["Tiername;Art\nBello;Hund\n", [name("None")]],
  ["name;kind;x\nHunde;;\nBello;;1\nMia;;2\n", [category("None")]],
  ["name\tcategoryId\nRe\\x\t1\n", [["Read it as CSV?", "No"]]],
])("no answer to a question about %j ends at once", async (text, steps) => {
  const run = await guided(text, steps);
  expect([run.code, run.shop.posts, run.printed]).toEqual([2, 0, ""]);
});

it.each(["Animal\nRex\n", '[{"name":"Rex","category":"Dog"},'])(
  "nothing is asked where no answer cures %j",
  async (text) => {
    const run = await guided(text, []);
    expect([run.code, run.shop.posts, run.asked]).toEqual([2, 0, []]);
  },
);

it("what was answered is in the hints where no answer follows", async () => {
  const steps: readonly Step[] = [name("Tiername"), category("Art"), ['"Hund"', ""]];
  const run = await guided("Tiername;Art;x\nBello;Hund;\n", [...steps, ['"Hund"', ""]]);
  expect([run.code, run.shop.posts]).toEqual([2, 0]);
  expect(run.stderr).toContain(
    "Try it with: --map Tiername=name --map Art=categoryId --ignore-fields --value 'category:Hund=<id>'\n",
  );
});

it("no category for all is offered where a row looks like a heading", async () => {
  const text = "name,category,status\nDOGS,,\nA,,sold\nB,,sold\nTotal,2,\n";
  const { asked, code, shop } = await guided(text, [
    ["2 rows like a heading or a total", "Leave out"],
    ["2 rows without a category", "Stop"],
  ]);
  expect([code, shop.posts, asked.at(-1)]).toEqual([
    2,
    0,
    "2 rows without a category. What should happen to them? [Leave out / Stop here]",
  ]);
});

describe("invalid rows", () => {
  const text =
    'name;category;chip\nHunde;;\nBello;1;1\n;1;2\nMia;;3\nMax;1;1\n"Ida"x;1;4\nLeo;2;5\n';
  const kinds: readonly Step[] = [
    ["1 row like a heading or a total", "Leave out"],
    ["1 row without a name", "Leave out"],
    ["1 row without a category", "Leave out"],
    ["1 row that cannot be read", "Leave out"],
    ["1 row with the key of another row", "Send the first"],
  ];

  it("are asked about by their kinds, and left out", async () => {
    const question: Step = [
      "Send 2 animals? 4 were left out as invalid. 1 was left out for a repeated key.",
      "Yes",
    ];
    const run = await guided(text, [...kinds, unkept, question], ["--key", "chip"]);
    expect([run.code, run.shop.names().sort()]).toEqual([9, ["Bello", "Leo"]]);
    expect(run.stderr).toMatch(
      /line 2 \(Hunde\): looks like a heading.*[^]*line 4: name must not be empty[^]*line 5 \(Mia\): categoryId is missing/,
    );
    expect((await run.again()).code).toBe(9);
    expect(run.shop.posts).toBe(2);
  });

  it.each(kinds.map((_kind, at) => at))(
    "are all left unsent where kind %i is stopped at",
    async (at) => {
      const steps = [...kinds.slice(0, at), [kinds[at]?.[0] ?? "", "Stop here"] as const];
      const run = await guided(text, steps, ["--key", "chip"]);
      expect([run.code, run.shop.posts, run.printed]).toEqual([2, 0, ""]);
    },
  );
});

it.each<[string, readonly Step[]]>([
  [
    "name;category\nBello;\nMia;\n",
    [
      ["2 rows without a category", "One category"],
      ["Their category (a number):", "7"],
    ],
  ],
  [
    "name;category\n;7\n\t;7\n",
    [
      ["2 rows without a name", "One name"],
      ["Their name:", "Stray"],
    ],
  ],
])("rows that all lack the same are asked about: %j", async (text, steps) => {
  const run = await guided(text, [...steps, unkept, send]);
  expect([run.code, run.shop.pets.map(({ categoryId }) => categoryId)]).toEqual([0, [7, 7]]);
});

it("a place whose title is another is asked about with the columns that are there", async () => {
  const text = "Name;Name;category\nx;Bello;1\ny;Mia;2\n";
  const steps: readonly Step[] = [renamed("#2 Name"), unkept, send];
  const run = await guided(text, steps, ["--map", "#3 Name=name", "--ignore-fields"]);
  expect([run.code, run.shop.names()]).toEqual([0, ["Bello", "Mia"]]);
});

it("a refused key is told before the first question, but not in a dry run", async () => {
  const shop = await startShop("store-1");
  shop.intercept = (...exchange) => {
    failing(401)(...exchange);
    return true;
  };
  const run = await guided(week, [], [], { shop });
  expect([run.code, run.asked, shop.gets]).toEqual([4, [], ["/v1/pets?limit=1"]]);
  const dry = await guided(week, [...answered, unkept], ["--dry-run"], { shop });
  expect([dry.code, shop.gets.length]).toEqual([0, 1]);
});

it.each<[string, Step, number, string]>([
  ["No", ["Send 3 animals?", "No"], 0, "Nothing was sent.\n"],
  ["Ctrl-C", ["Send 3 animals?", ctrlC], 130, "pets: interrupted; nothing was sent\n"],
])("a mapping is written when it is named, even if %s follows", async (_what, last, code, end) => {
  const file = path.join(temporaryFolder(), "shelter.map");
  const wrong = path.join(path.dirname(file), "none", "shelter.map");
  const run = await guided(week, [
    ...answered,
    ["Keep the answers", "Yes"],
    ["File name:", wrong],
    [`There is no directory ${path.dirname(wrong)}.`, file],
    last,
  ]);
  expect([run.code, run.shop.posts, existsSync(file)]).toEqual([code, 0, true]);
  expect(run.stderr.endsWith(end)).toBe(true);
  const next = await guided(week, [], ["--mapping", file], { shop: run.shop });
  expect([next.code, run.shop.posts]).toEqual([0, 3]);
});

it("the last question counts what is new, earlier and left out", async () => {
  const first = await guided(week, [...answered, unkept, send]);
  const next = `${week}Leo;Hund;frei;4\nIda;Katze;frei;5\n;Katze;frei;6\n`;
  const question = "Send 2 new animals? 3 were added earlier. 1 was left out as invalid.";
  const steps: readonly Step[] = [
    ...answered.slice(0, 2),
    ['"Katze" (4 rows)', "2"],
    ['"Hund" (2 rows)', "1"],
    status("Stand"),
    ['"frei" (5 rows)', "available"],
    ['"weg" (1 row)', "sold"],
    key(),
    ["1 row without a name", "Leave out"],
    unkept,
    [question, "Yes"],
  ];
  const { shop, env } = first;
  const run = await guided(next, steps, [], { shop, env });
  expect([run.code, shop.names().sort()]).toEqual([9, ["Bello", "Ida", "Leo", "Mia", "Mia"]]);
  expect(run.printed).toMatch(/ --skip-invalid --only-new$/);
  expect((await run.again()).code).toBe(9);
  expect(shop.posts).toBe(5);
});

it.each([80, 200])(
  "of thirty columns those are named that %i columns have no room for",
  async (columns) => {
    const titles = Array.from({ length: 30 }, (_none, at) => (at === 29 ? "Z\u001b[2J" : `C${at}`));
    const text = `${titles.join(";")}\n${titles.map((_title, at) => `v${at}`).join(";")}\n`;
    const run = await guided(text, [["What is the first row?"], name("None")], [], { columns });
    const room = columns / 10;
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`… and ${30 - room} more columns: C${room}, C${room + 1}, `);
    expect(run.stderr).not.toContain("\u001b[2J");
    for (let at = 0; at < 29; at += 1) expect(run.asked.join()).toContain(`C${at}: v${at}`);
  },
);
