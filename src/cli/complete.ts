import path from "node:path";
import type { Runtime } from "../commands/context.ts";
import { createProgram } from "../commands/index.ts";
import { completionText } from "../completion/answer.ts";
import { storedNames } from "../config/profiles/stored-keys.ts";
import { shells } from "../core/enums.ts";
import { programFolders } from "../platform/paths.ts";

/** Prints what the completion script of a shell asks for; nothing if that is unknown. Returns the exit code. */
export async function runComplete({ argv, env, program, stdout }: Runtime): Promise<number> {
  const [, name, ...words] = argv;
  const shell = shells.find((each) => each === name);
  if (shell === undefined) return 2;
  const file = path.join(programFolders(env, program.platform).config, "config.json");
  await stdout.write(
    completionText(createProgram(program.version), shell, words, () => storedNames(file)),
  );
  return 0;
}
