import { getRawAsset } from "node:sea";
import { decodePack } from "./code-pack.ts";
import { startFrom } from "./start.ts";

/** A part of this executable, where it lies in memory. */
const read = (name: string): Buffer => Buffer.from(getRawAsset(name));

// What the standalone executable runs: the program's files are in it, read where they lie.
startFrom(
  process,
  {
    folder: process.execPath,
    read,
    shipped: (command) => decodePack(read(`compiled/${command}`), 0),
  },
  require,
);
