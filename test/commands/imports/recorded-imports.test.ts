import { expect, it } from "vitest";
import { fileOf } from "../../imports/support/input.ts";
import { screenLines } from "../../support/command/screen.ts";
import { type CliRun, runHere, runInTime } from "../../support/command/world.ts";
import { envFor } from "../../support/program/program.ts";
import { readRecord } from "../../support/servers/record.ts";
import { failing, startShop } from "../../support/servers/shop.ts";
import { errorBody } from "../../support/servers/stranger.ts";

const heads = "ID INPUT HOST AGE ROWS ADDED REJ. INV. UNK. LEFT";

/** A shop that rejects Mia, does not answer for Leo, and refuses the key for Tom; and a home that added them. */
async function shopAndHome() {
  const shop = await startShop("store-1");
  shop.intercept = (request, response, n) => {
    const name = request.method === "POST" ? String(JSON.parse(request.body).name) : "";
    const status = { Mia: 422, Leo: 500, Tom: 403 }[name];
    if (status === undefined) return false;
    failing(status, errorBody(status, "no", `${name} is not wanted`))(request, response, n);
    return true;
  };
  const env = envFor(shop);
  const run = (...words: readonly string[]) => runInTime(words, { env });
  const answer = (text: string | (() => Promise<string>), ...words: readonly string[]) =>
    runInTime(words, { env, terminal: { columns: 80 }, answers: [text] });
  const file = fileOf("name,category\n\nRex,1\nMia,2\nLeo,3\nTom,4\nIda,5\n", "pets.csv");
  expect((await run("add", "--from", file, "--concurrency", "1")).code).toBe(4);
  return { shop, env, file, run, answer };
}

it.concurrent("lists what imports did, and shows their rows", async () => {
  const { shop, file, run } = await shopAndHome();
  const asked = [...shop.gets];
  const [listed] = JSON.parse((await run("imports", "--json")).stdout);
  expect(listed).toEqual({
    id: 1,
    input: file,
    host: new URL(shop.baseUrl).host,
    when: expect.stringMatching(/^\d{4}-.*Z$/),
    rows: 5,
    added: 1,
    rejected: 1,
    invalid: 0,
    unknown: 1,
    left: 2,
  });
  const rows = JSON.parse((await run("imports", "show", "1", "--json")).stdout);
  expect(rows).toMatchObject([
    { line: 3, outcome: "added", id: expect.any(Number) },
    { line: 4, outcome: "rejected", error: { code: "no" } },
    { line: 5, outcome: "unknown", error: { code: "no" } },
    { line: 6, outcome: "not_sent" },
    { line: 7, outcome: "not_sent" },
  ]);
  expect(rows[1].error.message).not.toContain("Mia");
  expect((await run("imports", "show", "1", "-o", "csv", "--fields", "line,outcome")).stdout).toBe(
    "line,outcome\r\n3,added\r\n4,rejected\r\n5,unknown\r\n6,not_sent\r\n7,not_sent\r\n",
  );
  expect(shop.gets).toEqual(asked);
});

it.concurrent.each<[number, string[], (file: string, url: URL) => string[]]>([
  [40, [], () => ["ID INPUT AGE LEFT", "1 pets.csv 2 h 2"]],
  [40, ["--fields", "id,added"], () => ["ID ADDED", "1 1"]],
  [66, [], (_file, { port }) => [heads, `1 pets.csv :${port} 2 h 5 1 1 0 1 2`]],
  [120, [], (file, { host }) => [heads, `1 ${file} ${host} 2 h 5 1 1 0 1 2`]],
])("tells imports apart on a terminal of %i columns, with %j", async (columns, words, shown) => {
  const { shop, env, file } = await shopAndHome();
  readRecord(env.HOME, "UPDATE imports SET started = started - 7200000");
  const { stdout } = await runInTime(["imports", ...words], { env, terminal: { columns } });
  const lines = await screenLines(stdout, columns);
  expect(lines.map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual(
    shown(file, new URL(shop.baseUrl)),
  );
});

it.concurrent("tells stores apart that were at one address", async () => {
  const { shop, file, run } = await shopAndHome();
  const { host } = new URL(shop.baseUrl);
  expect((await run("imports")).stdout).not.toContain("(");
  Object.assign(shop, { storeId: "other-2", pets: [] });
  await run("add", "--from", file, "--concurrency", "1");
  const { stdout } = await run("imports");
  const stores = stdout.split("\n").flatMap((line) => /\(.*?\)/.exec(line)?.[0] ?? []);
  expect(stores).toEqual(["(other-)", "(store-)"]);
  const listed: unknown = JSON.parse((await run("imports", "--json")).stdout);
  expect(listed).toMatchObject([{ host }, { host }]);
});

it.concurrent.each([
  ["", "Nothing was removed."],
  ["no", "Nothing was removed."],
  ["yellow", "Nothing was removed."],
  [" Y ", "Forgot 1 import; its 1 animal stays in the store, and would be added again."],
  ["yes", "Forgot 1 import; its 1 animal stays in the store, and would be added again."],
])("asks on a terminal, and with the answer %j: %s", async (text, said) => {
  const { answer } = await shopAndHome();
  expect((await answer(text, "imports", "forget", "1")).stderr).toContain(said);
});

it.concurrent("forgets no import that is running, and runs none that is being forgotten", async () => {
  const { shop, env, file, run, answer } = await shopAndHome();
  const tried: CliRun[] = [];
  // It is answered when the forget has ended.
  shop.on("Leo", async (...exchange) => {
    tried.push(await run("imports", "forget", "1", "--force"));
    failing(422)(...exchange);
  });
  expect((await run("add", "--from", file, "--retry-unknown")).code).toBe(9);
  expect(tried).toMatchObject([{ code: 2 }]);
  const { posts } = shop;
  const forget = async (): Promise<string> => {
    tried.push(await run("add", "--from", file, "--again"));
    return "y";
  };
  readRecord(env.HOME, "UPDATE rows SET state = 'sent' WHERE number = 0");
  expect((await answer(forget, "imports", "forget", "1")).stderr).toContain("Forgot 1 import;");
  expect([tried[1]?.code, shop.posts]).toEqual([2, posts]);
  expect(tried[1]?.stderr).toContain(`another process is working on the import of ${file}`);
});

it.concurrent("forgets only with --force what has unsettled rows, and names those", async () => {
  const { env, run } = await shopAndHome();
  const refused = await run("imports", "forget", "1");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("1 row that may or")]);
  expect(refused.stderr).toContain("has 2 of its rows left");
  const count = () => readRecord(env.HOME, "SELECT count(*) AS n FROM rows")[0]?.n;
  expect(count()).toBe(5);
  expect((await run("imports", "forget", "--finished")).stderr).toBe("No import is forgotten.\n");
  expect((await run("imports", "forget", "--older-than", "1d", "--force")).code).toBe(0);
  expect(count()).toBe(5);
  const done = await run("imports", "forget", "--older-than", "0s", "--force");
  expect([done.code, done.stderr, count()]).toEqual([
    0,
    "Forgot 1 import; its 1 animal stays in the store, and would be added again.\n",
    0,
  ]);
  expect(readRecord(env.HOME, "SELECT 1 FROM prints")).toEqual([]);
});

it.concurrent.each([
  [["show", "7"], 3, "no import has the id 7"],
  [["forget", "7", "--force"], 3, "no import has the id 7"],
  [["check", "7"], 3, "no import has the id 7"],
  [["show", "x"], 2, 'the id must be an integer, not "x"'],
  [["check", "x"], 2, 'the id must be an integer, not "x"'],
  [["forget"], 2, "give the id of an import, `--finished` or `--older-than`"],
  [["forget", "--older-than", "soon"], 2, "--older-than must be a duration such as 30d"],
])("pets imports %j ends with %i", async (words, code, message) => {
  const run = await runHere(["imports", ...words]);
  expect([run.code, run.stdout]).toEqual([code, ""]);
  expect(run.stderr).toContain(message);
});

it.concurrent("says that there are none, and makes no directory", async () => {
  expect(await runHere(["imports"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "No imports.\n",
  });
});
