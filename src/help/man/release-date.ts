/** The date of `version` in a changelog's headings (`## 1.2.0 - 2026-11-21`); undefined where it has none. */
export function releaseDate(changelog: string, version: string): string | undefined {
  for (const [, name, date] of changelog.matchAll(/^## \[?([^\s\]]+)\]? - (\d{4}-\d\d-\d\d)$/gm)) {
    if (name === version) return date;
  }
  return undefined;
}
