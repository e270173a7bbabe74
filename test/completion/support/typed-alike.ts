/** What is typed before Tab, and the line that bash and zsh both make of it. */
export const typedAlike: readonly (readonly [typed: string, line: string])[] = [
  ["pets comp", "pets completion "],
  ["pets list --status=av", "pets list --status=available "],
  ["pets keys add --fields ap", "pets keys add --fields apiKey "],
  ["pets add --from sh", "pets add --from shelter\\ one.csv "],
  ["pets add --from=sh", "pets add --from=shelter\\ one.csv "],
  ["pets add --name sh", "pets add --name sh"],
  ["pets serve --seed z", "pets serve --seed zoo.ndjson "],
  ["pets list > z", "pets list > zoo.ndjson "],
  ["pets serve -- cat z", "pets serve -- cat zoo.ndjson "],
  ["pets serve mkfif", "pets serve mkfif"],
];
