import { type CommandModel, type OptionModel, wordSources } from "./model.ts";
import { powershellBody } from "./powershell-body.ts";
import { quoteForPowerShell as quote } from "./quote.ts";
import { sourceName } from "./sources.ts";

/** The completion script of Windows PowerShell 5.1 and of PowerShell 7, to be given to `Invoke-Expression`. */
export function powershellScript(models: readonly CommandModel[]): string {
  const common = commonOptions(models);
  return `# PowerShell completion for pets; \`pets completion --help\` tells how to install it.
Register-ArgumentCompleter -Native -CommandName 'pets' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $common = @(
${common.map((option) => `        ${option}`).join("\n")}
    )
    $table = @{
${models.map((model) => commandEntry(model, common)).join("\n")}
    }
    $sources = @{
${wordSources(models).map(sourceEntry).join("\n")}
    }
${powershellBody}`;
}

/** The options that all commands have. */
function commonOptions(models: readonly CommandModel[]): string[] {
  const [first = [], ...others] = models.map(({ options }) => options.map(optionText));
  return first.filter((option) => others.every((options) => options.includes(option)));
}

function commandEntry(model: CommandModel, common: readonly string[]): string {
  const { path, subcommands, options, argument } = model;
  const own = options.map(optionText).filter((option) => !common.includes(option));
  const words = subcommands.map(
    ({ name, description }) => `            ${quote(name)} = ${quote(description)}`,
  );
  return `        ${quote(path)} = @{
            Argument = ${argument === undefined ? "$null" : quote(sourceName(argument))}
            Subcommands = [ordered]@{
${words.join("\n")}
            }
            Options = @(
${own.map((option) => `                ${option}`).join("\n")}
            ) + $common
        }`;
}

function optionText({ long, short, description, value, repeats }: OptionModel): string {
  const parts = [
    `Long = ${quote(long)}`,
    ...(short === undefined ? [] : [`Short = ${quote(short)}`]),
    ...(value === undefined ? [] : [`Value = ${quote(sourceName(value))}`]),
    ...(repeats ? ["Repeats = $true"] : []),
    `Description = ${quote(description)}`,
  ];
  return `@{ ${parts.join("; ")} }`;
}

function sourceEntry(source: ReturnType<typeof wordSources>[number]): string {
  const { kind, name, words } = source;
  const end = kind === "list" ? source.end : "";
  const list = kind === "list" ? "$true" : "$false";
  const choices = words.map(quote).join(", ");
  return `        ${quote(name)} = @{ Words = @(${choices}); List = ${list}; End = ${quote(end)} }`;
}
