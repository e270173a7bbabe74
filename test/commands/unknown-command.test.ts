import { expect, it } from "vitest";
import { meaningElsewhere } from "../../src/commands/unknown-command.ts";

it.each([
  ["delete", "no animal can be deleted: the API can list, add and get animals"],
  ["SEARCH", "did you mean `pets list --status <status>`?"],
  ["import", "did you mean `pets add --from <file>`?"],
  ["show", "did you mean `pets get <id>`?"],
  ["version", "did you mean `pets --version`?"],
  ["config", "did you mean `pets profile`?"],
  ["del ete", undefined],
  ["lst", undefined],
])("%s means %s", (word, meaning) => {
  expect(meaningElsewhere(word)).toBe(meaning);
});
