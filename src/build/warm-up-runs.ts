/** A run of the program that leaves what it compiled. */
export interface Run {
  /** Its arguments, with blanks between. */
  readonly line: string;
  /** The exit code that it is to have; 0 unless given. */
  readonly code?: number;
  readonly input?: string;
  /** Whether key and base URL come from the profile. */
  readonly isProfile?: boolean;
}

/** Files that the runs read, by name. */
export const files: Readonly<Record<string, string>> = {
  "animals.csv": "name,categoryId,status\nRex,1,available\nIda,2,sold\n",
  "animals.json": '[{"name":"Rex","categoryId":1}]',
  "animals.ndjson": '{"name":"Rex","categoryId":1}\n',
};

/** What people and scripts do most, each command at least once, on a store with animals at `baseUrl`. */
export function warmUpRuns(baseUrl: string, apiKey: string): readonly Run[] {
  const plain = [
    "--version",
    "--help",
    "list --json",
    "list",
    "list -o csv",
    "list -o ndjson",
    "list -o tsv --fields id,name",
    "list --status available --limit 3",
    "add --name Rex --category 1",
    "add --name Rex --category 1 --json",
    "add --from animals.csv",
    "add --from animals.ndjson -o ndjson",
    "add --from animals.json -o csv",
    "get 1",
    "get 1 --json",
    "limits",
    "limits --refresh --json",
    "serve --data keys.db --seed 5 -- pets list --json",
    "serve --memory --seed 5 -- pets add --name Rex --category 1",
    "keys add --data keys.db",
    "keys --data keys.db",
    "help",
    "help add",
    "help exit-codes",
    "completion bash",
    "completion zsh",
    "completion fish",
    "completion powershell",
    "serve --memory --seed 5 -- pets list --json",
  ];
  return [
    ...plain.map((line) => ({ line })),
    { line: `login --base-url ${baseUrl}`, input: apiKey, isProfile: true },
    { line: "list --json", isProfile: true },
    { line: "list", isProfile: true },
    { line: "profile", isProfile: true },
    { line: "logout", isProfile: true },
    // The port takes no connection: this is for the client of PostgreSQL.
    { line: "serve --data postgres://127.0.0.1:1/pets", code: 1 },
  ];
}
