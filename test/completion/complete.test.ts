import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { complete } from "../../src/completion/complete.ts";
import { cases, difference, noDifference } from "./support/cases.ts";

const pets = createProgram("1");
const profiles = () => ["local-1", "staging"];

/** Returns what fits at the end of `line`, which begins with `pets`. */
function at(line: string) {
  const [, ...words] = line.split(" ");
  const current = words.pop() ?? "";
  return complete(pets, { words, current }, profiles);
}

describe("complete", () => {
  it.each(cases)("$line", (wanted) => {
    const found = at(wanted.line);
    const names = "words" in found ? found.words.map(({ name }) => name) : [];
    expect(difference(wanted, names)).toEqual(noDifference);
  });

  it.each([
    ["pets list --status=av", "words", ["--status=available"]],
    ["pets list --fields=na", "words", ["--fields=name"]],
    ["pets profile list --fields ba", "words", ["baseUrl"]],
    ["pets nonsense --zzz ", "words", []],
    ["pets list --output=x --nonsense=", "words", []],
  ])("%s offers %s %j", (line, kind, names) => {
    const found = at(line);
    expect(found.kind).toBe(kind);
    expect("words" in found && found.words.map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ["pets add --from sh", { kind: "files", before: "" }],
    ["pets add --from=sh", { kind: "files", before: "--from=" }],
    ["pets serve --memory -- cat z", { kind: "files", before: "" }],
    ["pets serve -- ", { kind: "files", before: "" }],
  ])("%s is %j", (line, wanted) => {
    expect(at(line)).toEqual(wanted);
  });

  it("describes commands and options", () => {
    expect(at("pets list --sta")).toEqual({
      kind: "words",
      words: [
        {
          name: "--status",
          description: "list only animals with this status",
        },
      ],
    });
  });
});
