import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { Marked } from "marked";
import markedMan from "marked-man";
import { commandHelp } from "../help/command-help.ts";
import { topicText } from "../help/topics/index.ts";
import { topicNames } from "../help/topics/names.ts";
import { commandTree, commandPath } from "../help/tree.ts";

/** The columns that man(1) leaves to the text of a help page in a terminal of 80. */
const helpWidth = 70;

const marked = new Marked(markedMan, { breaks: false });

/** Returns the man page pets(1) in the language of man(7): the help of all commands, and the topics. */
export async function manPage(program: CommandUnknownOpts, version: string): Promise<string> {
  const commands = commandTree(program).slice(1);
  const markdown = [
    "# pets",
    `## NAME\n\npets - ${program.description()}`,
    `## SYNOPSIS\n\n**pets** <command> [options]`,
    `## DESCRIPTION\n\n${page(program)}`,
    "## COMMANDS",
    ...commands.map((command) => `### ${commandPath(command)}\n\n${page(command)}`),
    ...topicNames.map((name) => asSection(topicText(name, helpWidth))),
    "## SEE ALSO\n\n`pets help` shows the same texts.",
  ];
  const roff = (await marked.parse(markdown.join("\n\n")))
    .replace(/^\.TH .*\n/m, "")
    .replaceAll(/^(\.S[HS] .*\n)\.P\n/gm, "$1");
  // No hyphens are added and lines are not justified, so that text can be pasted.
  return `.TH PETS 1 "" "pets ${version}" "User Commands"\n.nh\n.ad l\n${roff}\n`;
}

const page = (command: CommandUnknownOpts): string => asIs(commandHelp(command, helpWidth));
const asIs = (text: string): string => `\`\`\`\n${text}\`\`\``;

/** Returns a topic as a section: its first line is the title. */
function asSection(text: string): string {
  const [title = "", ...lines] = text.split("\n");
  return `## ${title}\n\n${asIs(lines.slice(1).join("\n"))}`;
}
