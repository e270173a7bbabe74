import { shells, petStatuses, outputFormats } from "../core/enums.ts";
import { faultKinds, inputFormats, planNames } from "../core/enums.ts";
import { keyColumns, newKeyColumns, petColumns, profileColumns } from "../output/columns.ts";
import { limitColumns } from "../output/limits.ts";
import type { RecordColumn } from "../output/records.ts";

/**
 * What may stand in a place: nothing that can be known, one of some words, a list of them with commas
 * between and `end` behind each, a file, a profile, or a command line of its own (behind `--`).
 */
export type ValueKind =
  | { readonly kind: "free" | "files" | "profiles" | "command" }
  | { readonly kind: "words"; readonly name: string; readonly words: readonly string[] }
  | {
      readonly kind: "list";
      readonly name: string;
      readonly words: readonly string[];
      readonly end: "" | ":";
    };

const free: ValueKind = { kind: "free" };
const files: ValueKind = { kind: "files" };
const profiles: ValueKind = { kind: "profiles" };

const words = (name: string, of: readonly string[]): ValueKind => ({
  kind: "words",
  name,
  words: of,
});

const fields = (name: string, columns: readonly RecordColumn[]): ValueKind => ({
  kind: "list",
  name: `${name}_fields`,
  words: columns.map(({ field }) => field),
  end: "",
});

/** What each option with a value takes, by its long form; `--fields` is told by `fieldSources`. */
export const optionSources: Readonly<Record<string, ValueKind>> = {
  "--base-url": free,
  "--category": free,
  "--clock": free,
  "--concurrency": free,
  "--data": files,
  "--fault": { kind: "list", name: "faults", words: faultKinds, end: ":" },
  "--fault-seed": free,
  "--format": words("input_formats", inputFormats),
  "--from": files,
  "--host": free,
  "--latency": free,
  "--limit": free,
  "--max-wait": free,
  "--name": free,
  "--output": words("formats", outputFormats),
  "--plan": words("plans", planNames),
  "--port": free,
  "--profile": profiles,
  "--seed": files,
  "--status": words("statuses", petStatuses),
  "--timeout": free,
  "--tls-cert": files,
  "--tls-key": files,
};

/** The options that may be given again, where their definition gathers all values. */
export const repeated: ReadonlySet<string> = new Set(["--plan"]);

const ofPets = fields("pet", petColumns);
const ofProfiles = fields("profile", profileColumns);
const ofKeys = fields("key", keyColumns);

/** What `--fields` may name, by the words of the command; without a word it is `pets` itself. */
export const fieldSources: Readonly<Record<string, ValueKind>> = {
  "": ofPets,
  list: ofPets,
  add: ofPets,
  get: ofPets,
  login: ofProfiles,
  logout: ofProfiles,
  profile: ofProfiles,
  "profile list": ofProfiles,
  "profile use": ofProfiles,
  "profile show": ofProfiles,
  "profile remove": ofProfiles,
  limits: fields("limit", limitColumns),
  serve: free,
  keys: ofKeys,
  "keys list": ofKeys,
  "keys add": fields("new_key", newKeyColumns),
  "keys revoke": free,
  completion: free,
  help: free,
};

/** What each argument is, by the name that the help gives it; `words` of `help` are its subcommands. */
export const argumentSources: Readonly<Record<string, ValueKind>> = {
  command: { kind: "command" },
  id: free,
  profile: profiles,
  shell: words("shells", shells),
  words: free,
};

/** The name of `source` in a script. */
export function sourceName(source: ValueKind): string {
  return "name" in source ? source.name : source.kind;
}

/** What the scripts run for the names of profiles, when a profile is asked for and not before. */
export const profileCommand = "pets profile list --output tsv --fields name";

/** Emptied for that command: a wrong one would end it, though it needs none. */
export const clearedVariables = [
  "PETS_API_KEY",
  "PETS_BASE_URL",
  "PETS_MAX_WAIT",
  "PETS_PROFILE",
  "PETS_TIMEOUT",
] as const;

/** The same for a POSIX shell and zsh: assignments before the command. */
export const clearAssignments = clearedVariables.map((name) => `${name}=''`).join(" ");
