import { parseDuration } from "../../core/times.ts";
import { importColumns, importRowColumns } from "../../output/columns.ts";
import { countWithin, parserOf } from "../arguments.ts";
import { defineCommand } from "../command.ts";

const parseImportId = countWithin({ min: 1, max: Number.MAX_SAFE_INTEGER });

const parseAge = parserOf("a duration such as 30d or 12h", (text) =>
  parseDuration(text, { hasDays: true }),
);

/** One import of the examples, in each form. */
const oneImport = "pets add --from shelter.csv --quiet && ";

const importsList = defineCommand({
  name: "list",
  summary: "list imports, newest first",
  isDefault: true,
  columns: importColumns,
  examples: [
    { line: `${oneImport}pets imports`, stdout: /^1 +shelter\.csv .* 2 +2 +0 +0 +0$/m },
    {
      line: `${oneImport}pets imports list --json | jq -r '.[].added'`,
      stdout: /^2$/m,
    },
  ],
  run: async (context) => (await runs()).listAll(context),
});

const importsShow = defineCommand({
  name: "show",
  summary: "show the rows of an import: line, outcome, id, error",
  arguments: [{ syntax: "<id>", parse: parseImportId }],
  columns: importRowColumns,
  examples: [
    { line: `${oneImport}pets imports show 1`, stdout: /^2 +added +1[34]$/m },
    {
      line: `${oneImport}pets imports show 1 -o csv > outcomes.csv`,
      files: { "outcomes.csv": /^line,outcome,id,error\r\n2,added,1[34],\r\n3,added,1[34],\r\n$/ },
    },
  ],
  run: async (context, { id }) => (await runs()).showOne(context, id),
});

const importsForget = defineCommand({
  name: "forget",
  summary: "remove what is recorded of imports",
  arguments: [{ syntax: "[id]", parse: parseImportId }],
  options: [
    { flags: "--finished", description: "forget all finished imports" },
    {
      flags: "--older-than <age>",
      description: "forget imports that were last active this long ago, such as 30d",
      parse: parseAge,
    },
    { flags: "--force", description: "do not ask about unknown and unfinished rows" },
  ],
  notes: ["Animals of a forgotten import are not recognized any more: they may be added twice."],
  examples: [
    {
      line: `${oneImport}pets imports forget 1`,
      stderr: /^Forgot 1 import/m,
      afterwards: { "pets imports --json": /^\[\]\n$/ },
    },
    { line: "pets imports forget --older-than 30d", stderr: /^No import/m },
  ],
  run: async (context, options) => (await runs()).forget(context, options),
});

export const imports = defineCommand({
  name: "imports",
  summary: "list, show and forget earlier imports",
  subcommands: [importsList, importsShow, importsForget],
  columns: importColumns,
  notes: ["Without a command it lists them. Makes no request."],
  examples: [
    { line: `${oneImport}pets imports`, stdout: /^1 +shelter\.csv /m },
    { line: `${oneImport}pets imports show 1 --json`, stdout: /"outcome":"added"/ },
  ],
});

/** Loads what reads the record of imports. */
const runs = () => import("./recorded-imports.ts");
