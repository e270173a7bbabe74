import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";

/** Returns what a command line prints that is refused as wrong usage. */
async function refusal(...words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runHere(words);
  expect([code, stdout]).toEqual([2, ""]);
  return stderr.trimEnd().split("\n");
}

describe("an option of other lists", () => {
  const noPages =
    "the service has no pages, order or search: it lists at most 100 animals (`--limit 100`), filtered only by `--status`";

  it.each([
    "--page",
    "--offset",
    "--cursor=x",
    "--sort",
    "--all",
    "--search",
    "--name=Rex",
    "--category",
    "--order-by",
    "--Page",
  ])("%s is told what the service has", async (option) => {
    const told = [`pets: unknown option '${option}'; ${noPages}`, "See `pets list --help`."];
    expect(await refusal("list", option, "2")).toEqual(told);
    expect(await refusal("ls", option)).toEqual(told);
  });

  it.each(["--per-page", "--max", "--count"])("%s means --limit", async (option) => {
    const [message] = await refusal("list", option, "5");
    expect(message).toBe(`pets: unknown option '${option}'; did you mean \`--limit\`?`);
  });

  it.each([["imports", "list", "--page"], ["get", "--page", "1"], ["list", "--nope"], ["--page"]])(
    "is nothing elsewhere: %s %s",
    async (...words) => {
      const [message] = await refusal(...words);
      expect(message).toMatch(/^pets: unknown option '--(?:page|nope)'$/);
    },
  );
});

describe("a dash that is no hyphen", () => {
  it.each([
    ["list –limit 5", "–limit", "--limit"],
    ["list —status sold", "—status", "--status"],
    ["list \u2010\u2010limit 5", "\u2010\u2010limit", "--limit"],
    ["list \u2011limit 5", "\u2011limit", "--limit"],
    ["list \u2012limit 5", "\u2012limit", "--limit"],
    ["list \u2015limit 5", "\u2015limit", "--limit"],
    ["list \u2212o json", "\u2212o", "-o"],
    ["list -–limit 5", "-–limit", "--limit"],
    ["list –-limit=5", "–-limit=5", "--limit"],
    ["list –limt 5", "–limt", "--limit"],
    ["list --limit 5 –q", "–q", "-q"],
    ["list --help –limit", "–limit", "--limit"],
    ["add –name Rex --category 1", "–name", "--name"],
    ["serve –port 0", "–port", "--port"],
    ["store –json", "–json", "--json"],
    ["–version", "–version", "--version"],
    ["–o json list", "–o", "-o"],
    ["get –5", "–5", "-5"],
  ])("in `pets %s` is named", async (line, word, meant) => {
    const [message, hint] = await refusal(...line.split(" "));
    expect(message).toBe(
      `pets: "${word}" begins with a dash that is not a hyphen; did you mean \`${meant}\`?`,
    );
    expect(hint).toMatch(/^See `pets.* --help`\.$/);
  });

  it("is named without a guess if no option is close", async () => {
    const [message] = await refusal("profile", "use", "–work");
    expect(message).toBe('pets: "–work" begins with a dash that is not a hyphen');
  });

  it("is named in JSON too", async () => {
    const [text = ""] = await refusal("list", "–limit", "5", "--json");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "usage", exitCode: 2 } });
  });

  it.each(["add --name –name --category 1 --dry-run", "add --name=–x --category 1 --dry-run"])(
    "may begin a value: `pets %s`",
    async (line) => {
      expect(await runHere(line.split(" "))).toMatchObject({ code: 0 });
    },
  );

  it.each([
    ["list --page –5", "unknown option '--page'"],
    ["list -- –5", 'unexpected argument "–5"'],
  ])("is not what is wrong with `pets %s`", async (line, part) => {
    expect((await refusal(...line.split(" "))).join()).toContain(part);
  });
});

describe("an option after one that needs a value", () => {
  it.each([
    ["add --name -q --category 1", "--name", "-q"],
    ["add --name --category 1", "--name", "--category"],
    ["add --name --category=1", "--name", "--category=1"],
    ["add --category 1 --name --dry-run", "--name", "--dry-run"],
    ["add --name Rex --category 1 --status -q", "--status", "-q"],
    ["add --from --dry-run", "--from", "--dry-run"],
    ["list --profile --json", "--profile", "--json"],
    ["list -o -q", "-o", "-q"],
    ["login --key-command --no-verify", "--key-command", "--no-verify"],
    ["profile show --base-url -v", "--base-url", "-v"],
    ["add --name -q --help", "--name", "-q"],
    ["add --name -qv --category 1", "--name", "-qv"],
    ["add --name -ojson --category 1", "--name", "-ojson"],
    ["add --name -- --category 1", "--name", "--"],
  ])("is no value: `pets %s`", async (line, option, word) => {
    const [message, hint] = await refusal(...line.split(" "));
    expect(message).toBe(`pets: ${option} has no value: "${word}" after it is an option`);
    const isName = option === "--name";
    expect(hint).toMatch(isName ? `use \`--name=${word}\`.` : /^See `pets [^`]* --help`\.$/);
  });

  it.each([
    ["add --name=-q --category 1 --dry-run", "-q"],
    ["add --name=--category --category 1 --dry-run", "--category"],
    ["add --name -x --category 1 --dry-run", "-x"],
    ["add --name -quiet --category 1 --dry-run", "-quiet"],
    ["add --name -vx --category 1 --dry-run", "-vx"],
    ["add --name - --category 1 --dry-run", "-"],
    ["add --category -5 --name -5 --dry-run", "-5"],
  ])("may be one otherwise: `pets %s`", async (line, name) => {
    const { code, stdout } = await runHere([...line.split(" "), "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { name }]);
  });
});
