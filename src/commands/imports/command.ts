import { Command } from "@commander-js/extra-typings";
import { parseDuration } from "../../core/times.ts";
import { importCheckColumns, importColumns, importRowColumns } from "../../output/columns.ts";
import { countWithin, parserOf } from "../arguments.ts";
import type { Context } from "../context.ts";

const parseImportId = countWithin({ min: 1, max: Number.MAX_SAFE_INTEGER });

const parseAge = parserOf("a duration such as 30d or 12h", (text) =>
  parseDuration(text, { hasDays: true }),
);

const load = () => import("./recorded-imports.ts");

const list = (getContext: () => Context) =>
  new Command("list")
    .summary("list imports, newest first")
    .configureHelp({
      columns: importColumns,
      examples: [
        "pets add --from shelter.csv --quiet && pets imports",
        "pets add --from shelter.csv --quiet && pets imports list --json | jq -r '.[].added'",
      ],
    })
    .action(async () => (await load()).listAll(getContext()));

const show = (getContext: () => Context) =>
  new Command("show")
    .summary("show the rows of an import: line, outcome, id, error")
    .argument("<id>", "id as `pets imports` prints it", parseImportId)
    .configureHelp({
      columns: importRowColumns,
      examples: [
        "pets add --from shelter.csv --quiet && pets imports show 1",
        "pets add --from shelter.csv --quiet && pets imports show 1 -o csv > outcomes.csv",
      ],
    })
    .action(async (id) => (await load()).showOne(getContext(), id));

const check = (getContext: () => Context) =>
  new Command("check")
    .summary("look up rows with an unknown outcome in the store's lists")
    .argument("[id]", "id as `pets imports` prints it (default: all)", parseImportId)
    .configureHelp({
      columns: importCheckColumns,
      examples: [
        "pets add --from shelter.csv --quiet && pets imports check",
        "pets add --from shelter.csv --quiet && pets imports check 1 --json",
      ],
      notes: `It needs no file, and sends no animal. Rows that were not added are sent by the command that sent them. Exit code 8 if any row stays unknown.`,
    })
    .action(async (id) => (await import("./check.ts")).check(getContext(), id));

const forget = (getContext: () => Context) =>
  new Command("forget")
    .summary("remove what is recorded of imports")
    .argument("[id]", "id as `pets imports` prints it", parseImportId)
    .option("--finished", "forget all finished imports")
    .option(
      "--older-than <age>",
      "forget imports that were last active this long ago, such as 30d",
      parseAge,
    )
    .option("--force", "do not ask about unknown and unfinished rows")
    .configureHelp({
      examples: [
        "pets add --from shelter.csv --quiet && pets imports forget 1",
        "pets imports forget --older-than 30d",
      ],
      notes: `Animals of a forgotten import are not recognized any more: they may be added twice.`,
    })
    .action(async (id, { finished, olderThan, force }) =>
      (await load()).forget(getContext(), id, { finished, olderThan, force }),
    );

export const imports = (getContext: () => Context) =>
  new Command("imports")
    .summary("list, show, check and forget earlier imports")
    .addCommand(list(getContext), { isDefault: true })
    .addCommand(show(getContext))
    .addCommand(check(getContext))
    .addCommand(forget(getContext))
    .configureHelp({
      columns: importColumns,
      examples: [
        "pets add --from shelter.csv --quiet && pets imports",
        "pets add --from shelter.csv --quiet && pets imports show 1 --json",
      ],
      notes: "Without a command it lists them. Only `check` makes requests.",
    });
