import type { Block } from "../blocks.ts";
import type { Topic } from "./topic.ts";

const single: readonly Block[] = [
  "Standard output carries the result and nothing else. Notes, warnings and errors go to standard error; --quiet silences all but errors. A command that fails writes nothing to standard output (but for `pets add --from`, which tells of each row).",
  {
    terms: [
      [
        "-o table",
        "a header and one line an animal; names are cut to the width of a terminal, and never in a pipe. Without any animal there is nothing, and a line on standard error",
      ],
      [
        "-o json",
        "one value: list gives an array, add and get an object; indented on a terminal, one line in a pipe",
      ],
      ["-o ndjson", "one animal a line"],
      ["-o csv", "RFC 4180: a header, CRLF line ends"],
      ["-o tsv", String.raw`a header; tabs, line ends and backslashes are written \t \n \r \\`],
    ],
  },
  "--fields picks and orders the fields of every format: id, name, categoryId, status. A missing status is left out of JSON, and empty elsewhere. `pets add --quiet` prints the new id alone, unless a format was asked for. Where list shows as many as its limit, a note says that there may be more.",
  "Questions are asked only where standard input and standard error are a terminal; elsewhere a value that is missing is wrong usage.",
];

const bulk: readonly Block[] = [
  "`pets add --from` shows each row as it ends:",
  {
    terms: [
      ["-o table", "the animals added; the other rows go to standard error, a line each"],
      [
        "-o json",
        'and ndjson: a line each, {"line":1,"outcome":"added","pet":{…}}, or with "error":{…} where the outcome is "rejected" or "unknown"',
      ],
      ["-o csv", "and tsv: line, outcome, id, name, categoryId, status, error"],
      ["--quiet", "the new ids alone, unless a format was asked for"],
    ],
  },
  "--fields is not for it. On a terminal a bar shows rows done, time left, rate and limits; elsewhere a line each 30 s does. How many rows ended in which way, and the command that sends the rest, are told at the end, on standard error. With --dry-run the rows that would be sent are shown, in the same formats; with json as one array.",
];

const text: readonly Block[] = [
  "Ids are 64-bit integers, and come out digit for digit. In JSON they are numbers: read them with a tool that keeps 64 bits.",
  "Colour is for tables and errors on a terminal. --no-color turns it off; else FORCE_COLOR turns it on, or with 0 off; else NO_COLOR and TERM=dumb turn it off.",
  "Control characters that come from outside are shown escaped, in JSON as \\u escapes; only CSV and TSV in a pipe hold them as they are.",
];

export const output: Topic = { heading: "Output", blocks: [...single, ...bulk, ...text] };
