import type { PetStatus } from "../core/pet-fields.ts";
import type { Environment, Output } from "../platform/io.ts";

/** Returns text with colour codes around it. */
export type Paint = (text: string) => string;

/** The colours of the output. */
export interface Theme {
  readonly header: Paint;
  readonly error: Paint;
  /** By status; any other status has no colour. */
  readonly status: Readonly<Record<string, Paint>>;
}

/**
 * Returns whether a stream gets colours (`help output`). `flag` is false for `--no-color`,
 * which beats `FORCE_COLOR`, which beats `NO_COLOR`, `TERM=dumb` and a stream that is not a terminal.
 * An empty variable counts as unset (no-color.org).
 */
export function isColored(env: Environment, isTTY: boolean, flag: boolean): boolean {
  if (!flag) return false;
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  return isTTY && !env.NO_COLOR && env.TERM !== "dumb";
}

/** Where records are shown. */
export interface Target {
  /** Whether it is a terminal. */
  readonly terminal: boolean;
  /** The width of that terminal, in columns; without one nothing is cut. */
  readonly width?: number;
  readonly color: boolean;
}

/** Returns standard output as a target of records. */
export function targetOf(context: {
  readonly stdout: Output;
  readonly env: Environment;
  readonly settings: { readonly color: boolean };
}): Target {
  const { isTTY, columns } = context.stdout;
  const color = isColored(context.env, isTTY, context.settings.color);
  return { terminal: isTTY, color, ...(isTTY && columns !== undefined && { width: columns }) };
}

const plain: Paint = (text) => text;

const plainTheme: Theme = { header: plain, error: plain, status: {} };

/** Returns the theme of a stream. chalk is only loaded with `color`. */
export async function loadTheme(color: boolean): Promise<Theme> {
  if (!color) return plainTheme;
  const { Chalk } = await import("chalk");
  // The level is fixed: chalk's own detection looks at standard output only and ignores NO_COLOR.
  const chalk = new Chalk({ level: 1 });
  return {
    header: chalk.bold,
    error: chalk.red,
    status: {
      available: chalk.green,
      pending: chalk.yellow,
      sold: chalk.dim,
    } satisfies Readonly<Record<PetStatus, Paint>>,
  };
}
