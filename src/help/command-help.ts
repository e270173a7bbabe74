import {
  type AddHelpTextContext,
  type CommandUnknownOpts,
  Help,
} from "@commander-js/extra-typings";
import { globalHeading, isGlobal } from "../config/settings.ts";
import type { Column } from "../output/columns.ts";
import { maxWidth, wrap } from "../output/wrap.ts";

declare module "@commander-js/extra-typings" {
  interface Help {
    /** What the command prints: what `--fields` may name. */
    columns?: readonly Column[];
    /** Command lines to paste into a shell; the tests run each one (test/e2e/help-examples.test.ts). */
    examples?: readonly string[];
    /** What stands above the examples. */
    notes?: string;
    /** Whether the command uses no settings of the environment, so that wrong ones can't stop it. */
    ignoresEnvironment?: boolean;
  }
}

const indent = "  ";
const globalOptionsNote =
  "\nGlobal options, such as --profile, --json and --quiet: see `pets help`.\n";

/** Returns the help of a command, in commander's layout, for a screen of `columns`. */
export function commandHelp(command: CommandUnknownOpts, columns = maxWidth): string {
  const width = Math.min(columns, maxWidth);
  const texts: string[] = [];
  command
    .configureHelp({
      ...command.configureHelp(),
      commandDescription: () => command.description() || sentenceOf(command),
      subcommandTerm: (child) => [child.name(), ...child.aliases()].join(", "),
      // Not as an override of its own: commander suggests only options that are visible.
      formatHelp: (shown, helper) =>
        arranged(
          new Help().formatHelp(shown, Object.assign(helper, { visibleOptions: ownOptions })),
          shown,
        ),
    })
    .configureOutput({
      writeOut: (text) => void texts.push(fitted(text, width)),
      getOutHelpWidth: () => width,
      getOutHasColors: () => false,
    })
    .outputHelp();
  return texts.join("");
}

/** Returns the help of `pets` with its commands before the global options; other help only mentions those. */
function arranged(help: string, { parent }: CommandUnknownOpts): string {
  if (parent !== null) return help + globalOptionsNote;
  const sections = help.trimEnd().split("\n\n");
  const options = sections.findIndex((section) => section.startsWith(globalHeading));
  return `${[...sections.toSpliced(options, 1), sections[options]].join("\n\n")}\n`;
}

/** The least room for what a term means: with less it goes below the term. */
const minMeaningWidth = 18;
const below = "      ";

/** Returns a help text in lines of at most `width`, except for commands to paste. */
function fitted(text: string, width: number): string {
  const fit = (line: string): string => {
    if (line.length <= width || line.startsWith(`${indent}pets `)) return line;
    if (!line.startsWith(indent)) return wrap(line, width).join("\n");
    const [, term = "", meaning] = /^( {2}\S.*? {2,})(\S.*)$/.exec(line) ?? [];
    if (meaning === undefined) return line;
    const isBeside = width - term.length >= minMeaningWidth;
    const margin = isBeside ? " ".repeat(term.length) : below;
    const lines = wrap(meaning, width - margin.length).map((each) => margin + each);
    return isBeside ? term + lines.join("\n").trimStart() : [term.trimEnd(), ...lines].join("\n");
  };
  return text.split("\n").map(fit).join("\n");
}

/** The options of all commands stand in the help of `pets` alone. */
function ownOptions(command: CommandUnknownOpts) {
  const all = new Help().visibleOptions(command);
  return command.parent === null ? all : all.filter((option) => !isGlobal(option));
}

/** Returns the notes and the examples of a command, as commander prints them below its help. */
export function textBelow({ command }: AddHelpTextContext): string {
  const { examples = [], notes } = command.configureHelp();
  const lines = ["\nExamples:", ...examples.map((line) => indent + broken(line))];
  return (notes === undefined ? lines : [`\n${notes}`, ...lines]).join("\n");
}

/** Returns a command line that is too wide as several, which a shell reads as one: broken after `&&` and `|`, if not in quotes. */
function broken(line: string): string {
  if (line.length <= maxWidth - indent.length) return line;
  return line.replaceAll(/('[^']*'|"[^"]*")|( (?:&&|\|)) /g, (whole, quoted, operator) =>
    quoted === undefined ? `${operator}\n${indent}${indent}` : whole,
  );
}

/** Returns lines of a help text: terms, and beside each what it means. */
export function termLines(terms: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(terms).map((term) => term.length));
  const lines = Object.entries(terms).map(
    ([term, meaning]) => `${indent}${term.padEnd(width)}  ${meaning}`,
  );
  return lines.join("\n");
}

function sentenceOf(command: CommandUnknownOpts): string {
  const summary = command.summary();
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
