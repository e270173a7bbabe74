import { type Example, profiles } from "../../core/command-line.ts";
import { allProfileColumns, profileColumns } from "../../output/columns.ts";
import { defineCommand } from "../command.ts";
import { listProfiles, removeProfile, showProfile, useProfile } from "./profile-actions.ts";

const columns = profileColumns;
const oneProfile = [{ syntax: "<profile>", values: profiles }] as const;

/** What a list of the profiles is in the examples: these four, by name. */
const listed = /^NAME .*\ndefault .*\n(?:local.*\n)+other .*\nstaging .*\n$/;
const useStaging: Example = { line: "pets profile use staging", stderr: /staging is the current/ };

const profileList = defineCommand({
  name: "list",
  summary: "list profiles",
  isDefault: true,
  columns,
  examples: [
    { line: "pets profile list", stdout: listed },
    {
      line: "pets profile list --json | jq -r '.[].name'",
      stdout: /^default\nlocal\n(?:local-\d+\n)*other\nstaging\n$/,
    },
  ],
  run: listProfiles,
});

const profileUse = defineCommand({
  name: "use",
  summary: "make a profile the current one",
  arguments: oneProfile,
  columns,
  examples: [
    useStaging,
    {
      line: "pets profile use local && pets list",
      stdout: /^ID +NAME +CATEGORY +STATUS$/m,
      stderr: /local is the current/,
    },
  ],
  run: useProfile,
});

const profileShow = defineCommand({
  name: "show",
  summary: "show a profile, or the current one",
  arguments: [{ syntax: "[profile]", values: profiles }],
  columns: allProfileColumns,
  examples: [
    { line: "pets profile show", stdout: /^default +https:\/\/store/m },
    {
      line: "pets profile show staging -o tsv --fields baseUrl",
      stdout: /^baseUrl\nhttps:\/\/staging\.example\/v1\n$/,
    },
  ],
  run: showProfile,
});

const profileRemove = defineCommand({
  name: "remove",
  summary: "remove a profile and its key",
  arguments: oneProfile,
  columns,
  notes: ["If it was the current profile, no profile is current afterwards."],
  examples: [
    { line: "pets profile remove staging", stderr: /Removed profile staging/ },
    {
      line: "pets profile use default && pets profile remove staging",
      stderr: /Removed profile staging/,
      afterwards: { "pets profile show -o tsv --fields name": /^name\ndefault\n$/ },
    },
  ],
  run: removeProfile,
});

export const profile = defineCommand({
  name: "profile",
  summary: "list, choose, show and remove profiles",
  subcommands: [profileList, profileUse, profileShow, profileRemove],
  columns,
  notes: ["Without a command it lists them. Keys are only shown masked."],
  examples: [{ line: "pets profile", stdout: listed }, useStaging],
});
