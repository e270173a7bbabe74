import type { Block } from "./blocks.ts";

/** What is worth knowing of `pets add`. */
export const addNotes: readonly Block[] = [
  "One animal needs --name and --category; on a terminal they are asked for.",
  "Many animals: --from reads NDJSON, a JSON array, or CSV with the columns name, categoryId and status. It checks every row before it sends the first one, keeps to the limits, and writes down what it sends. So when it was stopped, however that was, the same command goes on where it ended, and sends nothing twice.",
  "Each row ends as one of these:",
  {
    terms: [
      ["added", "the animal is there"],
      ["rejected", "the service refused it, and would again; it is not sent again"],
      [
        "unknown",
        "no answer came: it may have been added. It is only sent again with --retry-unknown, and may then be there twice",
      ],
      ["not sent", "the run was stopped before: the same command sends it"],
    ],
  },
  "Exit codes: what stopped a run decides (4, 5, 6, 7, 130, 143); else 9 where not all were added.",
];
