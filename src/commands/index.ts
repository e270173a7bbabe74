import { add } from "./add.ts";
import type { CommandDefinition } from "./command.ts";
import { completion } from "./completion.ts";
import { get } from "./get.ts";
import { help } from "./help.ts";
import { imports } from "./imports/command.ts";
import { keys } from "./keys/command.ts";
import { limits } from "./limits.ts";
import { list } from "./list.ts";
import { login } from "./login/command.ts";
import { logout } from "./logout.ts";
import { profile } from "./profile/command.ts";
import { serve } from "./serve/command.ts";
import { status } from "./status.ts";
import { store } from "./store/command.ts";

/** The subcommands, in the order and groups of the help. */
export const commands: readonly CommandDefinition[] = [
  ...inGroup("Animals", [list, add, get, imports]),
  ...inGroup("Setup", [login, status, profile, limits, logout, completion, help]),
  ...inGroup("Local store", [serve, store, keys]),
];

function inGroup(
  group: string,
  definitions: readonly CommandDefinition[],
): readonly CommandDefinition[] {
  return definitions.map((definition) => Object.assign({}, definition, { group }));
}
