import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { Marked } from "marked";
import markedMan from "marked-man";
import { commandHelp } from "../help/command-help.ts";
import { topicText } from "../help/topics/index.ts";
import { topicNames } from "../help/topics/names.ts";
import { commandTree, wordsOf } from "../help/tree.ts";

/** What of the page is in no text. */
export interface PageFacts {
  readonly version: string;
  /** The date of this version's release, as in 2026-11-21; undefined if it is not released. */
  readonly date: string | undefined;
}

/** The columns that man(1) leaves to the text of a help page in a terminal of 80. */
const helpWidth = 70;

const marked = new Marked(markedMan, { breaks: false });

/** Returns the man page pets(1) in the language of man(7): the help of all commands, and the topics. */
export async function manPage(
  program: CommandUnknownOpts,
  { version, date = "" }: PageFacts,
): Promise<string> {
  const commands = commandTree(program).slice(1);
  const markdown = [
    "# pets",
    `## NAME\n\npets - ${program.description()}`,
    `## SYNOPSIS\n\n**pets** <command> [options]`,
    `## DESCRIPTION\n\n${page(program)}`,
    "## COMMANDS",
    ...commands.map((command) => `### ${wordsOf(command)}\n\n${page(command)}`),
    ...topicNames.map((name) => asSection(topicText(name, helpWidth))),
    "## SEE ALSO\n\n`pets help` shows the same texts.",
  ];
  const roff = (await marked.parse(markdown.join("\n\n")))
    .replace(/^\.TH .*\n/m, "")
    .replaceAll(/^(\.S[HS] .*\n)\.P\n/gm, "$1");
  // No hyphens are added and lines are not justified, so that text can be pasted.
  return `.TH PETS 1 "${date}" "pets ${version}" "User Commands"\n.nh\n.ad l\n${roff}\n`;
}

const page = (command: CommandUnknownOpts): string => asIs(commandHelp(command, helpWidth));
const asIs = (text: string): string => `\`\`\`\n${text}\`\`\``;

/** Returns a topic as a section: its first line is the title. */
function asSection(text: string): string {
  const [title = "", ...lines] = text.split("\n");
  return `## ${title}\n\n${asIs(lines.slice(1).join("\n"))}`;
}

/** Returns the date of `version` in the headings of a changelog (`## 1.2.0 - 2026-11-21`), if it has one. */
export function releaseDate(changelog: string, version: string): string | undefined {
  for (const [, name, date] of changelog.matchAll(/^## \[?([^\s\]]+)\]? - (\d{4}-\d\d-\d\d)$/gm)) {
    if (name === version) return date;
  }
  return undefined;
}
