import { expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { completionText } from "../../src/completion/complete.ts";
import { cases, difference, noDifference } from "./support/cases.ts";

const pets = createProgram();
const profiles = () => ["local-1", "staging"];

/** Returns what fish reads at the end of `line`, which begins with `pets`. */
function at(line: string): string {
  const [, ...words] = line.split(" ");
  const current = words.pop() ?? "";
  return completionText(pets, "fish", [...words, `.${current}`], profiles);
}

it.each(cases)("$line", (wanted) => {
  const [kind, ...offers] = at(wanted.line).trimEnd().split("\n");
  expect(kind).toBe("words");
  const names = offers.map((offer) => offer.replace(/\t.*/, ""));
  expect(difference(wanted, names)).toEqual(noDifference);
});

it.each([
  ["pets list --status=av", "words\n--status=available\n"],
  ["pets list --sta", "words\n--status\tlist only animals with this status\n"],
  ["pets keys rev", "words\nrevoke\trevoke a key\n"],
  ["pets list --fields=na", "words\n--fields=name\n"],
  ["pets list --fields=status,na", "words\n--fields=status,name\n"],
  ["pets profile list --fields ba", "words\nbaseUrl\n"],
  ["pets nonsense --zzz ", "words\n"],
  ["pets list --output=x --nonsense=", "words\n"],
  ["pets add --from sh", "files \n"],
  ["pets add --from=sh", "files --from=\n"],
  ["pets serve --memory -- cat z", "files \n"],
  ["pets serve -- ", "files \n"],
  ["pets serve --plan p", "words\npro\n"],
  ["pets store clock ", "words\nfreeze\nrun\n"],
])("%s offers %j", (line, text) => {
  expect(at(line)).toBe(text);
});

// bash ends words at = and : (COMP_WORDBREAKS), and replaces what follows the last of them.
it.each([
  [["keys", ".rev"], "words\nrevoke\n"],
  [["list", "--output", "=", ".js"], "words\njson\n"],
  [["list", "--output", ".="], "words\ntable\njson\nndjson\ncsv\ntsv\n"],
  [["list", "--output=js", "."], "words\n"],
  [["list", "--fields", "=", ".id,na"], "words\nid,name\n"],
  [["list", "--fields", '."id,na'], "words\nid,name\n"],
  [["add", "--map", "a", "=", "name", ".--on"], "words\n--only-new\n"],
  [["list", "--status", '."av'], "words\navailable\n"],
  [["list", ">", ".z"], "files \n"],
])("joins the pieces of bash %j", (words, text) => {
  expect(completionText(pets, "bash", words, profiles)).toBe(text);
});
