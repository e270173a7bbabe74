/** Returns the date of `version` in the headings of a changelog (`## 1.2.0 - 2026-11-21`), if it has one. */
export function releaseDate(changelog: string, version: string): string | undefined {
  for (const [, name, date] of changelog.matchAll(/^## \[?([^\s\]]+)\]? - (\d{4}-\d\d-\d\d)$/gm)) {
    if (name === version) return date;
  }
  return undefined;
}
