/** A command line, what Tab offers at its end, and what it does not offer. */
export interface Case {
  readonly line: string;
  /** Everything that is offered, in any order. */
  readonly all?: readonly string[];
  /** Some of what is offered. */
  readonly some?: readonly string[];
  readonly none?: readonly string[];
}

const statuses = ["available", "pending", "sold"];
const formats = ["table", "json", "ndjson", "csv", "tsv"];

/** What is offered. */
export const cases: readonly Case[] = [
  { line: "pets ", some: ["list", "completion", "help", "profile"], none: ["--json", "use"] },
  { line: "pets li", all: ["list", "limits"] },
  { line: "pets -qv li", all: ["list", "limits"] },
  { line: "pets profile ", all: ["list", "use", "show", "remove"] },
  { line: "pets nonsense ", all: [] },
  { line: "pets list --st", all: ["--status"] },
  { line: "pets list --status ", all: statuses },
  { line: "pets list --status av", all: ["available"] },
  { line: "pets list -o ", all: formats },
  { line: "pets -o ", all: formats },
  { line: "pets list --fields id,na", all: ["id,name"] },
  { line: "pets ls --fields id,name,", all: ["id,name,categoryId", "id,name,status"] },
  { line: "pets list --fields category,name,", all: ["category,name,id", "category,name,status"] },
  { line: "pets list --fields id,id", all: [] },
  { line: "pets list --fields ,st", all: [",status"] },
  { line: "pets list --fields nope,st", all: ["nope,status"] },
  { line: "pets list --status sold,", all: [] },
  { line: "pets keys --fields id,pl", all: ["id,plan"] },
  { line: "pets add --name --json --js", all: ["--json"] },
  { line: "pets add --format ", all: ["ndjson", "json", "csv", "tsv", "xlsx"] },
  { line: "pets l", all: ["list", "ls", "login", "logout", "limits"] },
  { line: "pets help ls ", none: ["list"] },
  { line: "pets store ", some: ["state", "requests", "reset", "faults", "page"] },
  { line: "pets store state --profile st", all: ["staging"] },
  { line: "pets serve --no-p", all: ["--no-page", "--no-profile"] },
  { line: "pets serve --profile st", all: ["staging"] },
  { line: "pets add --name ", all: [] },
  { line: "pets list --limit ", all: [] },
  { line: "pets get ", all: [] },
  { line: "pets get -5", all: [] },
  { line: "pets login --no-", all: ["--no-verify", "--no-color"] },
  { line: "pets list -- --st", all: [] },
  { line: "pets serve --plan ", all: ["free", "pro", "business", "enterprise"] },
  { line: "pets keys --da", all: ["--data"] },
  { line: "pets completion ", all: ["bash", "zsh", "fish", "powershell"] },
  { line: "pets completion bash ", none: ["bash", "zsh"] },
  { line: "pets help ", some: ["list", "exit-codes"], none: ["use"] },
  { line: "pets help profile ", all: ["list", "use", "show", "remove"] },
  { line: "pets help exit-codes ", none: ["list"] },
  { line: "pets --profile ", all: ["local-1", "staging"] },
  { line: "pets login --profile ", all: ["local-1", "staging"] },
  { line: "pets profile use ", all: ["local-1", "staging"] },
  { line: "pets profile show l", all: ["local-1"] },
  { line: "pets profile use staging ", none: ["local-1", "staging"] },
];

/** Returns what is missing from the offers of a shell, and what should not be there. */
export function difference({ all, some = all, none }: Case, offers: readonly string[]) {
  const got = offers.map((offer) => offer.trim());
  const isWrong = (offer: string): boolean =>
    none?.includes(offer) === true || all?.includes(offer) === false;
  return { missing: some?.filter((name) => !got.includes(name)) ?? [], wrong: got.filter(isWrong) };
}

/** What `difference` returns if there is none. */
export const noDifference = { missing: [], wrong: [] };
