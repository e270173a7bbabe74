import { parseDuration } from "../../core/times.ts";
import { importCheckColumns, importColumns, importRowColumns } from "../../output/columns.ts";
import { countWithin, parserOf, valueParser } from "../arguments.ts";
import type { Context } from "../context.ts";
import { newCommand } from "../new-command.ts";

const parseImportId = parserOf("the id", countWithin({ min: 1, max: Number.MAX_SAFE_INTEGER }));

const parseAge = valueParser("--older-than", "a duration such as 30d or 12h", (text) =>
  parseDuration(text, { hasDays: true }),
);

const load = () => import("./recorded-imports.ts");

const list = (getContext: () => Context) =>
  newCommand("list", "list imports, newest first", {
    columns: importColumns,
    examples: [
      "pets add --from shelter.csv --quiet && pets imports",
      "pets add --from shelter.csv --quiet && pets imports list --json | jq -r '.[].added'",
    ],
  }).action(async () => (await load()).listAll(getContext()));

const show = (getContext: () => Context) =>
  newCommand("show", "show the rows of an import: line, outcome, id, error", {
    columns: importRowColumns,
    examples: [
      "pets add --from shelter.csv --quiet && pets imports show 1",
      "pets add --from shelter.csv --quiet && pets imports show 1 -o csv > outcomes.csv",
    ],
  })
    .argument("<id>", "id as `pets imports` prints it", parseImportId)
    .action(async (id) => (await load()).showOne(getContext(), id));

const check = (getContext: () => Context) =>
  newCommand("check", "look up rows with an unknown outcome in the store's lists", {
    columns: importCheckColumns,
    examples: [
      "pets add --from shelter.csv --quiet && pets imports check",
      "pets add --from shelter.csv --quiet && pets imports check 1 --json",
    ],
    notes:
      "It needs no file, and sends no animal. Rows that were not added are sent by the command that sent them. Exit code 8 if any row stays unknown.",
  })
    .argument("[id]", "id as `pets imports` prints it (default: all)", parseImportId)
    .action(async (id) => (await import("./check.ts")).check(getContext(), id));

const forget = (getContext: () => Context) =>
  newCommand("forget", "remove what is recorded of imports", {
    examples: [
      "pets add --from shelter.csv --quiet && pets imports forget 1",
      "pets imports forget --older-than 30d",
    ],
    notes:
      "This undoes nothing: the animals of a forgotten import stay in the store, and would be added again.",
  })
    .argument("[id]", "id as `pets imports` prints it", parseImportId)
    .option("--finished", "forget all finished imports")
    .option(
      "--older-than <age>",
      "forget imports that were last active this long ago, such as 30d",
      parseAge,
    )
    .option("--force", "do not ask about unknown and unfinished rows")
    .action(async (id, options) => (await load()).forget(getContext(), id, options));

export const imports = (getContext: () => Context) =>
  newCommand("imports", "list, show, check and forget earlier imports", {
    columns: importColumns,
    examples: [
      "pets add --from shelter.csv --quiet && pets imports",
      "pets add --from shelter.csv --quiet && pets imports show 1 --json",
    ],
    notes: "Without a command it lists them. Only `check` makes requests.",
  })
    .addCommand(list(getContext), { isDefault: true })
    .addCommand(show(getContext))
    .addCommand(check(getContext))
    .addCommand(forget(getContext));
