import { fstatSync, statSync } from "node:fs";
import { builtin } from "../builtin.ts";

/** Whether the stream `fd` is a terminal. Loads Node's module for terminals only where it may be one. */
export function isTerminal(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isCharacterDevice() && !isNull(found.rdev) && builtin("node:tty").isatty(fd);
  } catch {
    return false;
  }
}

let nullDevice: number | undefined;

/** Whether `device` is the one that swallows all: the usual one in jobs that have no terminal. */
function isNull(device: number): boolean {
  nullDevice ??= statSync("/dev/null", { throwIfNoEntry: false })?.rdev ?? -1;
  return device === nullDevice;
}
