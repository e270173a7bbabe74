import type { Environment } from "../platform/io.ts";

/** Turns text into text with colour codes around it. */
export type Paint = (text: string) => string;

/** How the parts of the output are painted. */
export interface Theme {
  readonly header: Paint;
  readonly error: Paint;
  /** By status; any other is left as it is. */
  readonly status: Readonly<Record<string, Paint>>;
}

/**
 * Whether a stream is coloured (contract.md, What goes where). `flag` is false for `--no-color`,
 * which beats `FORCE_COLOR`, which beats `NO_COLOR`, `TERM=dumb` and a stream that is no terminal.
 * An empty variable counts as unset (no-color.org).
 */
export function isColored(env: Environment, isTTY: boolean, flag: boolean): boolean {
  if (!flag) return false;
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  return isTTY && !env.NO_COLOR && env.TERM !== "dumb";
}

const plain: Paint = (text) => text;

const plainTheme: Theme = { header: plain, error: plain, status: {} };

/** The theme of a stream that is coloured or not; the colours are only loaded where it is. */
export async function loadTheme(color: boolean): Promise<Theme> {
  if (!color) return plainTheme;
  const { Chalk } = await import("../vendor/chalk.ts");
  // Chalk's own look at the environment knows of standard output alone, and not of NO_COLOR.
  const chalk = new Chalk({ level: 1 });
  return {
    header: chalk.bold,
    error: chalk.red,
    status: { available: chalk.green, pending: chalk.yellow, sold: chalk.dim },
  };
}
