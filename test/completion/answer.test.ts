import { expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { completionText } from "../../src/completion/answer.ts";
import type { Shell } from "../../src/core/enums.ts";

const answer = (shell: Shell, ...words: string[]): string =>
  completionText(createProgram("1"), shell, words, () => ["staging"]);

it.each<[Shell, string[], string]>([
  ["zsh", ["keys", ".rev"], "words\nrevoke\trevoke a key\n"],
  ["fish", ["--profile", "."], "words\nstaging\n"],
  ["bash", ["keys", ".rev"], "words\nrevoke\n"],
  ["powershell", ["list", "--fields", ".na"], "words\nname\n"],
  ["zsh", ["add", ".--from=sh"], "files --from=\n"],
  ["fish", ["serve", "--", "cat", "."], "files \n"],
  ["zsh", ["nonsense", "."], "words\n"],
])("for %s %j is %j", (shell, words, text) => {
  expect(answer(shell, ...words)).toBe(text);
});

// bash ends words at = and : (COMP_WORDBREAKS), and replaces what follows the last of them.
it.each([
  [["list", "--output", "=", ".js"], "words\njson\n"],
  [["list", "--output", ".="], "words\ntable\njson\nndjson\ncsv\ntsv\n"],
  [["list", "--output=js", "."], "words\n"],
  [["add", "--map", "a", "=", "name", ".--on"], "words\n--only-new\n"],
  [["list", "--status", '."av'], "words\navailable\n"],
  [["list", ">", ".z"], "files \n"],
])("joins the pieces of bash %j", (words, text) => {
  expect(answer("bash", ...words)).toBe(text);
});
