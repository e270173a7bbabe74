import { Command } from "@commander-js/extra-typings";
import { examples } from "../../help/command-help.ts";
import { profileColumns } from "../../output/columns.ts";
import { action } from "../action.ts";
import { listProfiles, removeProfile, showProfile, useProfile } from "./profile-actions.ts";

const columns = profileColumns;

const list = () =>
  new Command("list")
    .summary("list profiles")
    .configureHelp({ columns })
    .addHelpText(
      "after",
      examples("pets profile list", "pets profile list --json | jq -r '.[].name'"),
    )
    .action(action(listProfiles));

const use = () =>
  new Command("use")
    .summary("make a profile the current one")
    .argument("<profile>")
    .configureHelp({ columns })
    .addHelpText(
      "after",
      examples("pets profile use staging", "pets profile use local && pets list"),
    )
    .action(action(useProfile));

const show = () =>
  new Command("show")
    .summary("show a profile, or the current one")
    .argument("[profile]")
    .configureHelp({ columns })
    .addHelpText(
      "after",
      examples("pets profile show", "pets profile show staging -o tsv --fields baseUrl"),
    )
    .action(action(showProfile));

const remove = () =>
  new Command("remove")
    .summary("remove a profile and its key")
    .argument("<profile>")
    .configureHelp({ columns })
    .addHelpText("after", "\nIf it was the current profile, no profile is current afterwards.")
    .addHelpText(
      "after",
      examples(
        "pets profile remove staging",
        "pets profile use default && pets profile remove staging",
      ),
    )
    .action(action(removeProfile));

export const profile = () =>
  new Command("profile")
    .summary("list, choose, show and remove profiles")
    .addCommand(list(), { isDefault: true })
    .addCommand(use())
    .addCommand(show())
    .addCommand(remove())
    .configureHelp({ columns })
    .addHelpText("after", "\nWithout a command it lists them. Keys are only shown masked.")
    .addHelpText("after", examples("pets profile", "pets profile use staging"));
