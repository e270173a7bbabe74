import type { PetStatus } from "../core/pet-fields.ts";
import type { Environment } from "../platform/io.ts";

export type Paint = (text: string) => string;

export interface Theme {
  readonly header: Paint;
  readonly error: Paint;
  /** By status; any other has no colour. */
  readonly status: Readonly<Record<string, Paint>>;
}

/** Returns whether a stream gets colours (`help output`); `flag` is false for `--no-color`. Empty variables are unset. */
export function isColored(env: Environment, isTTY: boolean, flag: boolean): boolean {
  if (!flag) return false;
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  return isTTY && env.CLICOLOR !== "0" && env.TERM !== "dumb";
}

/** Returns the theme of a stream; chalk is only loaded with `color`. */
export async function loadTheme(color: boolean): Promise<Theme> {
  if (!color) return { header: String, error: String, status: {} };
  const { Chalk } = await import("chalk");
  // The level is fixed: chalk's own detection looks at standard output only and ignores NO_COLOR.
  const chalk = new Chalk({ level: 1 });
  const status = {
    available: chalk.green,
    pending: chalk.yellow,
    sold: chalk.dim,
  } satisfies Readonly<Record<PetStatus, Paint>>;
  return { header: chalk.bold, error: chalk.red, status };
}
