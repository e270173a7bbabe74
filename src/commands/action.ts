import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { isGlobal } from "../config/settings.ts";
import type { Context } from "./context.ts";

/** A command that was typed, with its arguments and options. */
export interface CommandRequest {
  readonly command: CommandUnknownOpts;
  /** Whether it uses no settings of the environment, so that wrong ones can't stop it. */
  readonly ignoresEnvironment: boolean;
  /** Resolves with the exit code if that is not 0; rejects with a Failure. */
  run(context: Context): Promise<number | void>;
}

const requests = new WeakMap<CommandUnknownOpts, CommandRequest>();

/** Returns the command that was typed for the program `root`, once that has parsed its command line. */
export function requestOf(root: CommandUnknownOpts): CommandRequest | undefined {
  return requests.get(root);
}

/**
 * Returns an action that runs `run`, with the arguments and the options but the global ones, once its context is made.
 * What a command declares and `run` does not read, or the other way round, does not compile (`unread`).
 */
export function action<Given extends unknown[], Read extends unknown[]>(
  run: ((context: Context, ...read: Read) => Promise<number | void>) & Checked<Given, Read>,
  { ignoresEnvironment = false } = {},
): (this: CommandUnknownOpts, ...given: Given) => void {
  return function setRequest(this: CommandUnknownOpts) {
    const input: unknown[] = [...this.processedArgs, ownOptions(this)];
    requests.set(rootOf(this), {
      command: this,
      ignoresEnvironment,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Checked` compared it with what is declared.
      run: (context) => run(context, ...(input as Read)),
    });
  };
}

/** Returns a `run` that loads a module, and then runs what `pick` picks of it. */
export function loading<Module, Read extends unknown[]>(
  load: () => Promise<Module>,
  pick: (module: Module) => (context: Context, ...read: Read) => Promise<number | void>,
) {
  return async (context: Context, ...read: Read): Promise<number | void> =>
    pick(await load())(context, ...read);
}

/** Commander passes arguments, options and the command as `Given`. */
type Checked<Given extends unknown[], Read extends unknown[]> = Given extends [
  ...Read,
  ...infer Rest,
]
  ? Given extends [...infer Arguments, infer Options, unknown]
    ? Unread<keyof Options, keyof Read[Arguments["length"]], Rest["length"]>
    : never
  : { given: Given; read: Read };

/** The options that are only declared or only read; more than two left over are an argument too. */
type Unread<Declared, Read, Left> = [Declared, Read, Left] extends [Read, Declared, 1 | 2]
  ? unknown
  : { unread: Exclude<Declared, Read> | Exclude<Read, Declared> | "an argument" };

function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}

function ownOptions(command: CommandUnknownOpts): object {
  const own = command.options.filter((option) => !isGlobal(option));
  const values = own.map((option) => {
    const name = option.attributeName();
    const value = command.getOptionValue(name);
    // `--profile` beside `--no-profile` is the other option.
    return [name, option.negate ? value !== false : value];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
