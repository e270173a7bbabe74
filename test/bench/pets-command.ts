import path from "node:path";

/** The built program, run by this Node. */
export const petsCommand = [
  process.execPath,
  path.resolve(import.meta.dirname, "../../bin/pets.js"),
] as const;
