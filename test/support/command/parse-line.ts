import { runProgram, typedDespite } from "../../../src/cli/program.ts";
import { createProgram, noContext } from "../../../src/commands/index.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import { Failure } from "../../../src/core/errors.ts";
import { makeRuntime } from "./runtime.ts";

const parsed = new Error("the line is right");

/** Returns the options that a command line gives its command, which does not run; or why the line is refused, and its options. */
export async function parseLine(argv: readonly string[]) {
  let typed: TypedOptions = {};
  const root = createProgram(noContext, argv[0]);
  try {
    await runProgram(root, { ...makeRuntime().runtime, argv }, (_command, options) => {
      typed = options;
      throw parsed;
    });
  } catch (error) {
    if (error instanceof Failure) return { typed: typedDespite(argv, root), failure: error };
    if (error !== parsed) throw error;
  }
  return { typed, failure: undefined };
}
