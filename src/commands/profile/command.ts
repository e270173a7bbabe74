import { Command } from "@commander-js/extra-typings";
import { withAbout } from "../../help/about.ts";
import { profileColumns } from "../../output/columns.ts";
import { action } from "../action.ts";
import { listProfiles, removeProfile, showProfile, useProfile } from "./profile-actions.ts";

const columns = profileColumns;

const list = () =>
  withAbout(new Command("list").summary("list profiles").action(action(listProfiles)), {
    columns,
    examples: ["pets profile list", "pets profile list --json | jq -r '.[].name'"],
  });

const use = () =>
  withAbout(
    new Command("use")
      .summary("make a profile the current one")
      .argument("<profile>")
      .action(action(useProfile)),
    {
      columns,
      examples: ["pets profile use staging", "pets profile use local && pets list"],
    },
  );

const show = () =>
  withAbout(
    new Command("show")
      .summary("show a profile, or the current one")
      .argument("[profile]")
      .action(action(showProfile)),
    {
      columns,
      examples: ["pets profile show", "pets profile show staging -o tsv --fields baseUrl"],
    },
  );

const remove = () =>
  withAbout(
    new Command("remove")
      .summary("remove a profile and its key")
      .argument("<profile>")
      .action(action(removeProfile)),
    {
      columns,
      notes: "If it was the current profile, no profile is current afterwards.",
      examples: [
        "pets profile remove staging",
        "pets profile use default && pets profile remove staging",
      ],
    },
  );

export const profile = () =>
  withAbout(
    new Command("profile")
      .summary("list, choose, show and remove profiles")
      .addCommand(list(), { isDefault: true })
      .addCommand(use())
      .addCommand(show())
      .addCommand(remove()),
    {
      columns,
      notes: "Without a command it lists them. Keys are only shown masked.",
      examples: ["pets profile", "pets profile use staging"],
    },
  );
