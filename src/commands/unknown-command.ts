const apiCan = "the API can list, add and get animals";

/** What people type for what pets does under another name, or what the API can't do. */
const meanings: readonly (readonly [words: string, meaning: string])[] = [
  ["delete remove rm del destroy undo revert rollback", `no animal can be deleted: ${apiCan}`],
  ["update edit change modify set patch put rename", `no animal can be changed: ${apiCan}`],
  ["search find filter query grep", "did you mean `pets list --status <status>`?"],
  ["import upload load bulk", "did you mean `pets add --from <file>`?"],
  ["export download dump backup", "did you mean `pets list --limit 100 -o csv`?"],
  ["create new insert post", "did you mean `pets add`?"],
  ["show view fetch read", "did you mean `pets get <id>`?"],
  ["version", "did you mean `pets --version`?"],
  ["auth signin sign-in init setup", "did you mean `pets login`?"],
  ["signout sign-out", "did you mean `pets logout`?"],
  ["config configure settings profiles env", "did you mean `pets profile`?"],
  ["whoami doctor check ping info health", "did you mean `pets status`?"],
  ["server start run mock dev", "did you mean `pets serve`?"],
  ["stop", "did you mean `pets store stop`?"],
  ["reset", "did you mean `pets store reset`?"],
  ["faults", "did you mean `pets store faults`?"],
  ["quota limit rate usage", "did you mean `pets limits`?"],
  ["man docs manual topics", "did you mean `pets help`?"],
  ["apikey api-key token tokens", "did you mean `pets keys`?"],
];

/** Returns what a word that names no command means elsewhere. */
export function meaningElsewhere(word: string): string | undefined {
  const known = meanings.find(([words]) => words.split(" ").includes(word.toLowerCase()));
  return known?.[1];
}
