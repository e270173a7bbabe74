import {
  type AddHelpTextContext,
  type CommandUnknownOpts,
  Help,
} from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import type { Column } from "../output/columns.ts";
import { maxWidth } from "../output/text/wrap.ts";

declare module "@commander-js/extra-typings" {
  interface Help {
    /** What the command prints: what `--fields` may name. */
    columns?: readonly Column[];
    /** Command lines to paste into a shell; the tests run each one (test/e2e/help-examples.test.ts). */
    examples?: readonly string[];
  }
}

const indent = "  ";
const globalOptionsNote =
  "\nGlobal options, such as --profile, --json and --quiet: see `pets help`.\n";

/** Makes `command` show its help, in commander's layout, by `write`, in at most `columns`. */
function showHelpBy(
  write: (text: string) => void,
  command: CommandUnknownOpts,
  columns = maxWidth,
): void {
  const width = () => Math.min(columns, maxWidth);
  command
    .configureHelp({
      ...command.configureHelp(),
      commandDescription: () => command.description() || sentenceOf(command),
      subcommandTerm: (child) => [child.name(), ...child.aliases()].join(", "),
      // Not as an override of its own: commander suggests only options that are visible.
      formatHelp: (shown, helper) =>
        new Help().formatHelp(shown, Object.assign(helper, { visibleOptions: ownOptions })) +
        (shown.parent === null ? "" : globalOptionsNote),
    })
    .configureOutput({
      writeOut: write,
      // Commander takes a call without a command for an error.
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/** The options of all commands stand in the help of `pets` alone. */
function ownOptions(command: CommandUnknownOpts) {
  const all = new Help().visibleOptions(command);
  return command.parent === null ? all : all.filter((option) => !isGlobal(option));
}

/** Returns the help of a command for a screen of `columns`. */
export function commandHelp(command: CommandUnknownOpts, columns?: number): string {
  const texts: string[] = [];
  showHelpBy((text) => void texts.push(text), command, columns);
  command.outputHelp();
  return texts.join("");
}

/** Returns the examples of a command, as commander prints them below its help. */
export function examplesText({ command }: AddHelpTextContext): string {
  const { examples = [] } = command.configureHelp();
  return ["\nExamples:", ...examples.map((line) => indent + broken(line))].join("\n");
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
