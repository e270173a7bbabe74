import { settingVariables } from "../config/settings.ts";

/** Returns the topic `environment` with the variables of the settings in place of its row for them. */
export function withVariables(markdown: string): string {
  const rows = settingVariables().map(([variable, meaning]) => `| \`${variable}\` | ${meaning} |`);
  return markdown.replace(/^\| `PETS_…` .*$/m, () => rows.join("\n"));
}
