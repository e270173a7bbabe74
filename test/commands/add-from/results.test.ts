import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { runHere, runInTime } from "../../support/command/world.ts";
import { envFor } from "../../support/program/program.ts";
import { failing, startShop } from "../../support/servers/shop.ts";
import { workbookOf } from "../../support/workbook.ts";

async function shopWith(name: string, text: string) {
  const shop = await startShop("store-1");
  const file = fileOf(text, name);
  const home = path.dirname(file);
  const env = envFor(shop);
  const add = async (to: string, ...flags: readonly string[]) => {
    const results = path.join(home, to);
    const words = ["add", "--from", file, "--concurrency", "1", "--results", results, ...flags];
    const run = await runInTime(words, { env });
    const there = readdirSync(home).includes(to);
    return { ...run, results: there ? readFileSync(results, "utf8") : undefined, path: results };
  };
  return { shop, home, file, add, env };
}

it("writes the outcomes of all runs, also when nothing is left to send", async () => {
  const text = ["Rex", "Mia", "Leo"]
    .map((name, i) => `{"name":"${name}","categoryId":${i},"id":5}\n`)
    .join("");
  const { shop, home, add } = await shopWith("pets.ndjson", text);
  shop.on("Mia", failing(403));
  const stopped = await add("results.ndjson");
  expect(stopped.code).toBe(4);
  expect(stopped.results).toBe(
    [
      '{"name":"Rex","categoryId":0,"outcome":"added","id":1}',
      '{"name":"Mia","categoryId":1,"outcome":"not_sent"}',
      '{"name":"Leo","categoryId":2,"outcome":"not_sent"}\n',
    ].join("\n"),
  );
  shop.intercept = () => false;
  const whole = await add("results.json");
  expect(JSON.parse(whole.results ?? "")).toEqual([
    { name: "Rex", categoryId: 0, outcome: "added", id: 1 },
    { name: "Mia", categoryId: 1, outcome: "added", id: 2 },
    { name: "Leo", categoryId: 2, outcome: "added", id: 3 },
  ]);
  expect((await add("again.json")).results).toBe(whole.results);
  expect((await add("again.csv")).results).toBe(
    "name,categoryId,outcome,id,error\r\nRex,0,added,1,\r\nMia,1,added,2,\r\nLeo,2,added,3,\r\n",
  );
  expect(readdirSync(home).filter((name) => /[0-9a-f]{8}-/.test(name))).toEqual([]);
});

it("writes every error of a file with invalid rows, and what a dry run finds", async () => {
  const rows = Array.from({ length: 30 }, (_none, i) => `Pet ${i},${i % 3 === 0 ? "x" : i}\n`);
  const { shop, add } = await shopWith("pets.csv", `name,category\n${rows.join("")}`);
  const invalid = await add("results.csv");
  expect(invalid.code).toBe(2);
  expect(invalid.results?.match(/,invalid,,"?categoryId must be /g)).toHaveLength(10);
  expect(invalid.results?.match(/,valid,,\n/g)).toHaveLength(20);
  expect((await add("more.tsv", "--dry-run", "--skip-invalid")).results).toContain(
    "\nPet 1\t1\tvalid\t\t\n",
  );
  expect(shop.posts).toBe(0);
});

it.each([
  ["a.csv", "name,weight,categoryId\nRex,4,1\nBo,3,5,1\n", "r.csv", "value in column #4"],
  ["a.csv", 'name,categoryId\nRex,1\n"Bo"x,1\n', "r.csv", "text after a closing quote"],
  ["a.csv", 'name,categoryId\nRex,1\n"Bo,1\n', "r.csv", "quote never closed"],
  ["a.csv", 'name,categoryId\nRex,1\n"Bo,1"\n', "r.tsv", "the whole line is in quotes"],
  ["a.csv", "name,categoryId,status\nRex,1,sold\nTotal,2,\n", "r.ndjson", "looks like a heading"],
  ["a.json", '[{"name":"Rex","category":1},{"name":[1],"category":1}]', "r.csv", "name must be a"],
])(
  "%s: what is invalid for its form stays so in its results: %j in %s",
  async (name, text, to, fault) => {
    const { shop, add } = await shopWith(name, text);
    const { code, results } = await add(to, "--ignore-fields");
    expect([code, results]).toEqual([2, expect.stringContaining(fault)]);
    const file = fileOf(results ?? "", to);
    const again = await runHere(["add", "--from", file, "--ignore-fields", "--dry-run"]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("1 row is invalid")]);
    expect(shop.posts).toBe(0);
  },
);

const edited = (rest: string): string =>
  `name,category,status,outcome,id,error\nNew,3,,${rest}\nMia,2,available,changed,2,\nRex,1,,known,1,\n`;

it("names what other files added, with their ids", async () => {
  const { add, file } = await shopWith("pets.csv", "name,category,status\nRex,1,\nMia,2,sold\n");
  await add("results.csv");
  writeFileSync(file, "name,category,status\nNew,3,\nMia,2,available\nRex,1,\n");
  expect((await add("a.csv", "--dry-run")).results).toBe(edited("valid,,"));
  expect(await add("b.csv")).toMatchObject({ code: 2, results: edited("not_sent,,") });
  expect(await add("c.csv", "--only-new")).toMatchObject({ code: 0, results: edited("added,3,") });
});

it("keeps the ids of what other files added where an invalid row keeps the file from being sent", async () => {
  const { add, file } = await shopWith("pets.csv", "name,category,status\nRex,1,\nMia,2,sold\n");
  await add("results.csv");
  writeFileSync(file, "name,category,status\nNew,x,\nMia,2,available\nRex,1,\n");
  const refused = await add("results.csv");
  expect(refused.code).toBe(2);
  expect(refused.results).toMatch(
    /^New,x,,invalid,,"?category.*\nMia,2,available,changed,2,\nRex,1,,known,1,\n$/m,
  );
  expect(await add("results.csv", "--dry-run")).toMatchObject({
    code: 2,
    results: refused.results,
  });
  const skipped = await add("results.csv", "--dry-run", "--skip-invalid");
  expect(skipped).toMatchObject({ code: 9, results: refused.results });
});

it("keeps the ids of rows that a run with --skip-invalid added", async () => {
  const { add } = await shopWith("pets.csv", "name,category\nNew,x\nRex,1\n");
  const sent = await add("results.csv", "--skip-invalid");
  expect(sent.results).toMatch(/^Rex,1,added,1,$/m);
  expect(await add("results.csv")).toMatchObject({ code: 2, results: sent.results });
});

const refuseAll: Awaited<ReturnType<typeof startShop>>["intercept"] = (_request, response) => {
  response.writeHead(403).end();
  return true;
};

it("says nothing of other runs where the store cannot be asked", async () => {
  const { shop, add } = await shopWith("pets.csv", "name,category\nRex,1\nMia,2\n");
  const { results } = await add("results.csv");
  shop.intercept = refuseAll;
  const none = "name,category,outcome,id,error\nRex,1,not_sent,,\nMia,2,not_sent,,\n";
  expect(await add("none.csv")).toMatchObject({ code: 4, results: none });
  shop.intercept = () => false;
  expect(await add("results.csv")).toMatchObject({ code: 0, results });
});

it("has nothing of another store where other files keep this one from being sent", async () => {
  const { shop, file, add } = await shopWith("pets.csv", "name,category\nRex,1\nMia,2\n");
  await add("results.csv");
  Object.assign(shop, { storeId: "store-2", pets: [{ id: 70, name: "Tom", categoryId: 1 }] });
  writeFileSync(file, "category,name\n2,Mia\n1,Rex\n");
  await add("results.csv");
  writeFileSync(file, "name,category\nRex,1\nMia,2\n");
  const results = "name,category,outcome,id,error\nRex,1,known,72,\nMia,2,known,71,\n";
  expect(await add("results.csv")).toMatchObject({ code: 2, results });
});

it("is not written by a run of an input that another one has", async () => {
  const { shop, add } = await shopWith("pets.csv", "name,category\nRex,1\nMia,2\n");
  const runs: Awaited<ReturnType<typeof add>>[] = [];
  shop.on("Mia", async (...exchange) => {
    for (const to of ["results.csv", "other.csv"]) runs.push(await add(to));
    failing(422)(...exchange);
  });
  const { results, code } = await add("results.csv");
  expect(code).toBe(9);
  expect(results).toMatch(/\nRex,1,added,1,\nMia,2,rejected,,.*No\.\n$/);
  const refused = { code: 2, results: undefined };
  expect(runs).toMatchObject([refused, refused]);
});

it("says of a row that was left out what the one is that stands for it", async () => {
  const { shop, file, add } = await shopWith("pets.csv", "name,category\nRex,1\nMia,2\n");
  shop.on("Mia", (_request, response) => void response.destroy());
  expect((await add("results.csv")).code).toBe(8);
  shop.intercept = () => false;
  writeFileSync(file, "name,category\nMia,2\nTom,3\nRex,1\n");
  const left = await add("next.csv", "--only-new");
  expect(left.code).toBe(8);
  const others = "Tom,3,added,2,\nRex,1,known,1,\n";
  expect(left.results).toContain(`\nMia,2,unknown,,import 1 may have added it\n${others}`);
  expect(await add("next.csv", "--retry-unknown")).toMatchObject({ code: 0 });
  expect((await add("next.csv")).results).toContain(`\nMia,2,added,3,\n${others}`);
});

it("is known to be impossible before the first request", async () => {
  const { shop, home, file, add, env } = await shopWith("pets.csv", "name,category\nRex,1\n");
  expect(await add("pets.csv")).toMatchObject({ code: 2 });
  expect(readFileSync(file, "utf8")).toBe("name,category\nRex,1\n");
  expect(await add("nowhere/results.csv")).toMatchObject({ code: 1 });
  writeFileSync(path.join(home, "old.csv"), "old");
  chmodSync(path.join(home, "old.csv"), 0o640);
  expect(shop.posts + shop.gets.length).toBe(0);
  expect(await add("old.csv")).toMatchObject({ code: 0 });
  expect(await add(`${"x".repeat(251)}.csv`)).toMatchObject({ code: 0 });
  const own = path.relative(home, path.join(env.HOME ?? "", ".local/state/pets/imports.db"));
  const refused = expect.stringContaining("a file of pets itself");
  expect(await add(own)).toMatchObject({ code: 2, stderr: refused });
  expect(statSync(path.join(home, "old.csv")).mode & 0o777).toBe(0o640);
});

it.each([
  ["a wrong header", "title\nname,category\nRex,1\n", [] as string[]],
  ["a wrong format", "name,category\nRex,1\n", ["--format", "json"]],
])("leaves the results that are there after %s", async (_what, text, flags) => {
  const { file, add } = await shopWith("pets.csv", "name,category\nRex,1\n");
  const { results } = await add("results.csv");
  writeFileSync(file, text);
  const again = await add("results.csv", ...flags);
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/no results in .*results\.csv: the input cannot be read to its end/);
  expect(results).toContain("Rex,1,added,1,");
  expect(again.results).toBe(results);
});

it("is UTF-8 with a header and no byte-order mark, whatever options its input needs", async () => {
  const { file, add } = await shopWith("pets.csv", "");
  writeFileSync(file, "Tiere;;\nname;category\nZoë;1\nÁrpád;2\n", "latin1");
  const options = ["--encoding", "latin1", "--skip-lines", "1"];
  const { path: results, results: text } = await add("results.csv", ...options);
  expect(text).toMatch(/^name;/);
  const again = (...flags: readonly string[]) =>
    runHere(["add", "--from", results, "--dry-run", "-o", "csv", ...flags]);
  const read = "name,categoryId,status\r\nZoë,1,\r\nÁrpád,2,\r\n";
  const shiftJis = ["--encoding", "shift_jis"];
  for (const given of [options, options.slice(0, 2), shiftJis])
    expect((await again(...given)).stdout).toBe(read);
  writeFileSync(results, text ?? "", "latin1");
  expect((await again(...options)).stdout).toBe(read);
  writeFileSync(results, text ?? "");
  expect((await again()).stdout).toBe(read);
});

it.each([
  ["name,category,status\nRex,1,sold\nMia,2,sold\nTotal,2,\n", []],
  ["name,category,status\nRex,Dog,sold\nMia,Dog,sold\nCats,2,\n", ["--value", "category:Dog=1"]],
])("headings and totals in results are as little animals as before: %j", async (text, flags) => {
  const { file, add } = await shopWith("a.csv", "");
  writeFileSync(file, text);
  const words = ["--skip-invalid", "--dry-run", "-o", "csv", ...flags];
  const first = await add("results.csv", ...words);
  expect(first.results).toContain("looks like a heading or a total");
  const again = await runHere(["add", "--from", first.path, ...words]);
  expect([again.stdout, again.code]).toEqual([first.stdout, 9]);
});

const nulls = 'name,category,status,Note\nRex,1,NULL, none \n"NULL",2,,"NULL"\nMia,3, ,  x\n';

it.each<[string, string | Uint8Array, string, string[], string]>([
  [
    "a.csv",
    'name;category; Note ; \n Rex ; 1 ;  x  ;\t\n"Mia ";2;" y";\n',
    "results.csv",
    ["--ignore-fields"],
    'name;category;Note;;outcome;id;error\nRex;1;"  x  ";"\t";added;1;\n"Mia ";2;" y";;added;2;\n',
  ],
  [
    "a.tsv",
    "name\tcategoryId\tNote\n Rex \t 1 \t  x \n",
    "results.tsv",
    ["--ignore-fields"],
    "name\tcategoryId\tNote\toutcome\tid\terror\n Rex \t 1 \t  x \tadded\t1\t\n",
  ],
  [
    "a.csv",
    nulls,
    "results.csv",
    ["--ignore-fields"],
    'name,category,status,Note,outcome,id,error\nRex,1,NULL, none ,added,1,\n"NULL",2,,"NULL",added,2,\nMia,3,,"  x",added,3,\n',
  ],
  [
    "a.csv",
    nulls,
    "results.ndjson",
    ["--ignore-fields"],
    [
      '{"name":"Rex","category":"1","status":null,"Note":null,"outcome":"added","id":1}',
      '{"name":"NULL","category":"2","status":"","Note":"NULL","outcome":"added","id":2}',
      '{"name":"Mia","category":"3","status":"","Note":"  x","outcome":"added","id":3}\n',
    ].join("\n"),
  ],
  [
    "a.csv",
    nulls,
    "results.tsv",
    ["--ignore-fields"],
    "name\tcategory\tstatus\tNote\toutcome\tid\terror\nRex\t1\t\t\tadded\t1\t\nNULL\t2\t\tNULL\tadded\t2\t\nMia\t3\t\t  x\tadded\t3\t\n",
  ],
  [
    "a.xlsx",
    workbookOf([
      {
        name: "S",
        rows: [
          ["name", "category", "seit"],
          ["Rex", 1, new Date("2026-01-31")],
          ["Mia", 2, "NULL"],
        ],
      },
    ]),
    "results.txt",
    ["--ignore-fields"],
    "name,category,seit,outcome,id,error\r\nRex,1,2026-01-31,added,1,\r\nMia,2,NULL,added,2,\r\n",
  ],
  [
    "a.csv",
    "name,category,chip\nRex,1,7\nMia,2,NULL\nMax,1, 07 \nLeo,2,null\n",
    "results.csv",
    ["--key", "chip", "--repeats", "first"],
    'name,category,chip,outcome,id,error\nRex,1,7,added,1,\nMia,2,NULL,added,2,\nMax,1," 07 ",repeated,,\nLeo,2,null,added,3,\n',
  ],
  [
    "a.csv",
    "name,category,chip\nRex,1,7\nMax,1,7.0\n",
    "results.csv",
    ["--key", "chip", "--repeats", "last"],
    "name,category,chip,outcome,id,error\nRex,1,7,repeated,,\nMax,1,7.0,added,1,\n",
  ],
  [
    "a.csv",
    "name,category,chip\nRex,1,7\nMia,2,NULL\nMax,1,7\n",
    "results.csv",
    ["--key", "chip"],
    'name,category,chip,outcome,id,error\nRex,1,7,valid,,\nMia,2,NULL,valid,,\nMax,1,7,invalid,,"key ""7"" repeats that of line 2"\n',
  ],
  [
    "a.csv",
    'name,category\nRex,1\n"Mi"a,2\nLeo 5",3\n',
    "results.csv",
    ["--skip-invalid"],
    'name,category,outcome,id,error\nRex,1,added,1,\n"""Mi""a",2,invalid,,text after a closing quote; double each quote inside a value\n"Leo 5""",3,added,2,\n',
  ],
])(
  "all that %s has is in the results: %j in %s with %j",
  async (name, content, to, flags, expected) => {
    const { add, file } = await shopWith(name, "");
    writeFileSync(file, content);
    const { results } = await add(to, ...flags);
    expect(results).toBe(expected);
  },
);
