import { readFileSync } from "node:fs";
import path from "node:path";
import type { Example } from "../../../src/core/command-line.ts";
import { topicNames } from "../../../src/help/topics/names.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** The README and the help topics, as paths below the root. */
export const documents = [
  "README.md",
  ...topicNames.map((name) => `src/help/topics/${name}.md`),
] as const;

/** Returns the Markdown of the file `name`. */
export function documentText(name: string): string {
  return readFileSync(path.join(root, name), "utf8");
}

/** Returns the lines for a shell in `markdown`, without comments. */
export function shellLines(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)];
  return blocks.flatMap(([, text = ""]) =>
    text
      .replaceAll(/ \\\n */g, " ")
      .split("\n")
      .map((line) => line.replace(/(?:^|\s+)#\s.*$/, ""))
      .filter((line) => line !== ""),
  );
}

/** The lines that other tests run: what needs a clone, does not end by itself, changes the store for others, or takes a minute. */
export const runElsewhere =
  /^npm ci && | --follow\b| -- npm test$|^pets serve --suite |^pets serve [^&]*--detach\b[^&]*$|^pets store stop\b|^pets store clock (?:20|freeze --profile local$)/;

/** Returns each shell block of `markdown` that is followed by what it prints: its lines, and that text. */
export function shownRuns(
  markdown: string,
): readonly { readonly lines: readonly string[]; readonly output: string }[] {
  const blocks = markdown.matchAll(
    /^(```sh\n[^`]*```)\n\n(?:[^`\n]*`[^`\n]*` prints:\n\n)?```text\n([^]*?)^```$/gm,
  );
  return Array.from(blocks, ([, shell = "", output = ""]) => ({
    lines: shellLines(shell),
    output,
  }));
}

/** The expected result of a line, if it is more than the exit code 0. */
export const expected: Readonly<Record<string, Omit<Example, "line">>> = {
  "pets login": { stderr: /Logged in/ },
  "pets login --base-url https://store.example/v1 < key.txt": { stderr: /profile default/ },
  "pets list --json | jq length": { stdout: /^12\n$/ },
  "pets add --from shelter.csv --check-unknown": { exitCode: 9 },
  "pets add --from dogs.csv --map AnimalName=name --category 1 --ignore-fields": {
    stdout: /PAIGE/,
  },
  "pets add --from shelter.csv": { stderr: /^Added 2 of 2 animals/ },
  "pets serve": { stdout: /^The store is ready at / },
  "pets serve --memory --seed 50": { stdout: /^The store is ready at /, tried: /^ID / },
  "pets serve --seed 100 -- ./test.sh": { files: { "seen.json": /^\[(?:\{[^{}]*\},?){100}\]\n$/ } },
  "pets serve --seed 9 --clock 2030-12-05 -- ./test.sh": {
    files: { "seen.json": /^\[(?:\{[^{}]*\},?){9}\]\n$/ },
  },
  "pets add --from shelter.csv -o ndjson | jq -c 'select(.outcome != \"added\")'": {
    stdout: /^$/,
  },
  "pets limits --json | jq -e '.waitReason == null'": { stdout: /^true\n$/ },
  "pets limits --refresh --json | jq -e '.remaining >= 50'": { stdout: /^true\n$/ },
  "pets keys": { stdout: /1f2e3d4c5b6a7988/ },
  "key=$(pets keys add --plan pro --quiet)": { stdout: /^key=pets_\w{32}$/ },
  "pets profile": { stdout: /^NAME .*\ndefault / },
};
