import { readFileSync } from "node:fs";
import { start } from "./start.ts";

/** Where the program is installed; bin/pets.js hands this over, and what else is asked for. */
declare const folder: string;

start(
  process,
  {
    folder,
    readText: (name) => readFileSync(`${folder}/${name}`, "utf8"),
    readBytes: (name) => readFileSync(`${folder}/${name}`),
  },
  require,
);
