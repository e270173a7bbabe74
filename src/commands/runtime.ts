import type { Secrets } from "../core/secrets.ts";
import type { Clock, Environment, Input, Machine, Output, Signals } from "../platform/io.ts";
import type { Kill } from "../platform/process-group.ts";

export interface Program {
  readonly version: string;
  /** Its help in 80 columns, if the build made it. */
  readonly help?: string;
  /** Absolute path of the Node that runs it, or of the standalone executable. */
  readonly node: string;
  /** Absolute path of `bin/pets.js`; undefined if `node` is the program itself. */
  readonly script: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
}

/** Everything that a command gets from its process; made in `main.ts`, and by tests. */
export interface Runtime extends Signals {
  readonly argv: readonly string[];
  readonly env: Environment;
  /** What is masked in all that is printed or kept: whoever learns a key adds it. */
  readonly secrets: Secrets;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly kill: Kill;
  readonly random: () => number;
  readonly program: Program;
  /** Calls `step` when the process ends, unless by kill -9, or the returned function is called before. */
  readonly atExit: (step: () => void) => () => void;
}
