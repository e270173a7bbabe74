import { type CommandModel, commonEntries, type OptionModel, wordKinds } from "./model.ts";
import runtime from "./powershell-runtime.ps1";
import { quoteForPowerShell as quote } from "../core/shell-quote.ts";
import { kindName } from "./values.ts";

/** Returns the completion script of Windows PowerShell 5.1 and PowerShell 7, for `Invoke-Expression`. */
export function powershellScript(models: readonly CommandModel[]): string {
  const common = commonEntries(models, (option) => [optionText(option)]);
  return `# PowerShell completion for pets; see \`pets completion --help\` for how to install it.
Register-ArgumentCompleter -Native -CommandName 'pets' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # A missing key of a hash table is $null here, even if the session is strict.
    Set-StrictMode -Off
    $ErrorActionPreference = 'Continue'
    $common = @(
${common.map((option) => `        ${option}`).join("\n")}
    )
    $table = @{
${models.map((model) => commandEntry(model, common)).join("\n")}
    }
    $sources = @{
${wordKinds(models).map(wordsEntry).join("\n")}
    }

${indented(runtime)}}
`;
}

/** Returns `code` as the body of a script block. */
function indented(code: string): string {
  return code.replace(/^(?=.)/gm, "    ");
}

function commandEntry(model: CommandModel, common: readonly string[]): string {
  const { path, subcommands, options, argument } = model;
  const own = options.map(optionText).filter((option) => !common.includes(option));
  const words = subcommands.map(
    ({ name, description }) =>
      `                @{ Name = ${quote(name)}; Description = ${quote(description)} }`,
  );
  return `        ${quote(path)} = @{
            Argument = ${argument === undefined ? "$null" : quote(kindName(argument))}
            Subcommands = ${arrayOf(words)}
            Options = ${arrayOf(own.map((option) => `                ${option}`))} + $common
        }`;
}

/** Returns an array of `lines`, which are indented already. */
function arrayOf(lines: readonly string[]): string {
  return lines.length === 0 ? "@()" : `@(\n${lines.join("\n")}\n            )`;
}

function optionText({ long, short, description, value, repeats }: OptionModel): string {
  const parts = [
    `Long = ${quote(long)}`,
    ...(short === undefined ? [] : [`Short = ${quote(short)}`]),
    ...(value === undefined ? [] : [`Value = ${quote(kindName(value))}`]),
    ...(repeats ? ["Repeats = $true"] : []),
    `Description = ${quote(description)}`,
  ];
  return `@{ ${parts.join("; ")} }`;
}

function wordsEntry(values: ReturnType<typeof wordKinds>[number]): string {
  const { kind, words } = values;
  const end = kind === "list" ? values.end : "";
  const list = kind === "list" ? "$true" : "$false";
  const choices = words.map(quote).join(", ");
  return `        ${quote(kindName(values))} = @{ Words = @(${choices}); List = ${list}; End = ${quote(end)} }`;
}
