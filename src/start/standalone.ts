import { getRawAsset } from "node:sea";
import { decodePack } from "./code-pack.ts";
import { start } from "./start.ts";

/** A part of this executable, where it lies in memory. */
const read = (name: string): Buffer => Buffer.from(getRawAsset(name));

// What the standalone executable runs: the program's files are in it, read where they lie.
start(
  process,
  {
    folder: process.execPath,
    readText: (name) => read(name).toString("latin1"),
    readBytes: read,
    shipped: (command) => decodePack(read(`compiled/${command}`), 0),
  },
  require,
);
