import type { Context } from "./context.ts";

/** Whether someone sits at a terminal who can be asked: questions stand on standard error. */
export function isInteractive({ stdin, stderr }: Context): boolean {
  return stdin.isTTY && stderr.isTTY;
}
