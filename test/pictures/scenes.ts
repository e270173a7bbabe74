import { samplePets } from "../../src/server/seed/generate.ts";
import type { Scene } from "./record.ts";
import type { Words } from "./svg.ts";

/** A picture of the README; `file` is next to this one. */
export interface Picture extends Words {
  readonly file: string;
  readonly scene: Scene;
}

/** The number of rows, and of requests that the service still allows in this minute: see `importing`. */
const [rows, allowed, perMinute] = [34, 22, 60];

/** A file of animals, as a spreadsheet writes it. */
function csvFile(): string {
  const lines = Array.from(samplePets(rows), ({ name, categoryId, status = "" }) =>
    [name, categoryId, status].join(","),
  );
  return `name,categoryId,status\n${lines.join("\n")}\n`;
}

/** The animated picture. It begins when the service's minute is nearly over, so that it can be short. */
export const importing: Picture = {
  file: "import.svg",
  title: "pets add --from",
  description:
    "A terminal in which `pets add --from shelter.csv` adds animals from a file: a bar shows how many are done and the time that is left. Half-way it waits for the rate limit, and shows when the next rows are sent.",
  scene: {
    // The note at the start fits on one line.
    columns: 100,
    rows: 16,
    store: ["--plan", "free", "--clock", "2026-11-07T09:41:53.5Z", "--latency", "900+-600"],
    requests: perMinute - allowed,
    files: { "shelter.csv": csvFile() },
    commands: ["pets add --from shelter.csv"],
  },
};
