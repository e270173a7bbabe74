import { readFileSync } from "node:fs";
import path from "node:path";
import { topicNames } from "../../../src/help/topics/names.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** The README and the help topics, as paths below the root. */
export const documents = [
  "README.md",
  ...topicNames.map((name) => `src/help/topics/${name}.md`),
] as const;

export function documentText(name: string): string {
  return readFileSync(path.join(root, name), "utf8");
}

/** Returns the lines for a shell in `markdown`, without comments. */
export function shellLines(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)];
  return blocks.flatMap(([, text = ""]) =>
    text
      .replaceAll(/ \\\n */g, " ")
      .replaceAll(/\|\n */g, "| ")
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

/** What must come of a command line: exit code 0 and nothing else unless given. */
export interface Expected {
  readonly exitCode?: number;
  /** What it prints; a variable that it sets is printed as `name=value`. */
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** What the command prints that a store suggests as "Try" when it is ready. */
  readonly tried?: RegExp;
  /** The files that it leaves in the current folder, by name. */
  readonly files?: Readonly<Record<string, RegExp>>;
  /** What other command lines print after it. */
  readonly afterwards?: Readonly<Record<string, RegExp>>;
}

const isReady = /^The store is ready at https?:\/\//;

/** Matches a JSON array of this many objects, on one line. */
const arrayOf = (count: number) => new RegExp(`^\\[(?:\\{[^{}]*\\},?){${count}}\\]\n$`);

/** What must come of lines of README and topics, and of examples, where exit code 0 alone says too little. */
export const expected: Readonly<Record<string, Expected>> = {
  "pets list --json | jq length": { stdout: /^12\n$/ },
  "pets add --from shelter.csv --check-unknown": { exitCode: 9 },
  "pets serve --memory --seed 50": { stdout: isReady, tried: /^ID / },
  "pets serve --seed 100 -- ./test.sh": { files: { "seen.json": arrayOf(100) } },
  "pets serve --seed 9 --clock 2030-12-05 -- ./test.sh": { files: { "seen.json": arrayOf(9) } },
  "pets add --from shelter.csv -o ndjson | jq -c 'select(.outcome != \"added\")'": { stdout: /^$/ },
  "key=$(pets keys add --plan pro --quiet)": { stdout: /^key=pets_\w{32}$/ },
  "pets add --name Rex --category 1": {
    stdout: /Rex/,
    afterwards: { "pets list --limit 1 -o tsv --fields name": /^name\nRex\n$/ },
  },
  "pets list --limit 100 --json | jq length": { stdout: /^12\n$/ },
  "pets list -o csv --fields name,id > animals.csv": {
    files: { "animals.csv": /^name,id\r\nPet 12,12\r\n/ },
  },
  "id=$(pets add --name Rex --category 1 --quiet)": { stdout: /^id=13$/ },
  "pets add --from shelter.csv --dry-run": {
    stdout: /Mia[^]*Leo/,
    afterwards: { "pets list --limit 1 -o tsv --fields name": /^name\nPet 12\n$/ },
  },
  "pets add --from shelter.csv -o csv > outcome.csv": {
    files: {
      "outcome.csv":
        /^line,outcome,id,name,categoryId,status,error\r\n(?=[^]*^2,added,1[34],Mia,1,available,\r$)(?=[^]*^3,added,1[34],Leo,2,,\r$)(?:.*\r\n){2}$/m,
    },
  },
  "pets add --from week48.csv": { stderr: /^Added 2 of 2 animals/m },
  "pets add --from week49.csv --mapping shelter.map --only-new --results ids.csv": {
    files: {
      "ids.csv": /^Animal,Species,Chip,outcome,id,error\r?\nMia,cat,276003,added,13,\r?\n$/,
    },
  },
  "pets list -o ndjson | pets add --from - --profile other": {
    afterwards: { "pets list --limit 100 --json": arrayOf(24) },
  },
  "name=$(pets get 7 --json --quiet | jq -r .name)": { stdout: /^name=Pet 7$/, stderr: /^$/ },
  "pets list --limit 100 --json | jq '.[] | select(.id == 7)'": {
    stdout: /^\{\s*"id": 7,\s*"name": "Pet 7",[^{}]*\}\n$/,
  },
  "pets add --from shelter.csv --quiet && pets imports list --json | jq -r '.[].added'": {
    stdout: /^2$/m,
  },
  "pets add --from shelter.csv --quiet && pets imports show 1 -o csv > outcomes.csv": {
    files: { "outcomes.csv": /^line,outcome,id,error\r\n2,added,1[34],\r\n3,added,1[34],\r\n$/ },
  },
  "pets add --from shelter.csv --quiet && pets imports forget 1": {
    stderr: /^Forgot 1 import/m,
    afterwards: { "pets imports --json": /^\[\]\n$/ },
  },
  "pets status --profile staging --json | jq .keyAccepted": { stdout: /^true\n$/ },
  "pets profile list --json | jq -r '.[].name'": {
    stdout: /^default\nlocal\n(?:local-\d+\n)*other\nstaging\n$/,
  },
  "pets profile use default && pets profile remove staging": {
    stderr: /Removed profile staging/,
    afterwards: { "pets profile show -o tsv --fields name": /^name\ndefault\n$/ },
  },
  "pets limits --json | jq -e '.waitReason == null' && ./add-animals": {
    stdout: /^true\n$/,
    files: { added: /^$/ },
  },
  "pets limits --refresh --json | jq -e '.remaining >= 50' && ./add-50-animals": {
    stdout: /^true\n$/,
    files: { added: /^$/ },
  },
  "pets completion bash > ~/.pets.bash": {
    afterwards: { "cat ~/.pets.bash": /^# bash completion for pets/ },
  },
  "pets completion zsh > _pets": { files: { _pets: /^#compdef pets\n/ } },
  "pets serve --seed 24": { stdout: isReady, tried: /^ID .*\n(?:\d+ .*\n){20}$/ },
  "pets serve --seed animals.ndjson -- ./test.sh": { files: { "seen.json": arrayOf(12) } },
  "pets serve --fault 429:0.1,500:0.05 --latency 100±50 -- ./test.sh": {
    files: { "seen.json": /^\[\]\n$/ },
  },
  "pets serve --check --report report.json -- ./test.sh": {
    files: {
      "report.json":
        /^\{"requests":\{"200":1\},"early":0,"bans":0,"duplicates":\[\],"abandoned":0,"outside":\{\},"parameters":\{\},"malformed":\{\}\}\n$/,
    },
  },
  "pets serve --data postgres://pets@localhost/pets": { stdout: isReady, tried: /^$/ },
  "pets serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem": {
    stdout: isReady,
    tried: /^$/,
  },
  "pets store state --profile local --json | jq .pets": { stdout: /^12\n$/ },
  "pets store requests --profile local --json | jq '.[] | select(.early)'": { stdout: /^$/ },
  "pets serve --memory --check --profile ci --detach -q > ready && pets store check --profile ci --json | jq .early && pets store stop --profile ci":
    { stdout: /^0\n$/ },
  "pets store reset --profile local --json | jq .pets": { stdout: /^12\n$/ },
  "pets store faults 429:0.1,500:0.05 --profile local": {
    stdout: /429:0\.1,500:0\.05/,
    afterwards: { "pets store faults off --profile local": /^FAULT +LATENCY\n +0\n$/ },
  },
  'echo \'{"on":"GET /pets","do":503}\' | pets store script - --profile local': {
    stdout: /^STEP +ON +DO +TIMES +TAKEN\n1 +GET \/pets +503 +1 +0\n$/,
    afterwards: { "pets store script off --profile local --json": /^\{"steps":\[\]\}\n$/ },
  },
  "pets store clock freeze --profile local --json | jq .frozen": {
    stdout: /^true\n$/,
    afterwards: { "pets store clock run --profile local": /false\n$/ },
  },
  "pets store page --profile local --json | jq -r .url": {
    stdout: /^https:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}\n$/,
  },
  "pets keys revoke 1f2e3d4c5b6a7988 --data postgres://pets@localhost/pets": {
    afterwards: { "pets keys --data postgres://pets@localhost/pets": /^(?![^]*1f2e3d4c5b6a7988)/ },
  },
  "pets keys list --data shop.db --json | jq -r '.[].plan'": { stdout: /^free\nfree\n$/ },
  "pets keys add --plan 120/min,5000/day --data shop.db": {
    stdout: /pets_\w{32}/,
    afterwards: { "pets keys list --data shop.db --json": /120\/min,5000\/day/ },
  },
  "pets keys revoke 1f2e3d4c5b6a7988": { afterwards: { "pets keys": /^(?![^]*1f2e3d4c5b6a7988)/ } },
};
