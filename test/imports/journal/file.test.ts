import { appendFileSync, copyFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../support/command/failure.ts";
import { newPlace, open } from "../support/journals.ts";

describe("a journal file", () => {
  it.each([
    ["removed", (file: string) => rmSync(file)],
    ["replaced", (file: string) => replace(file)],
    ["moved", (file: string) => renameSync(file, `${file}.old`)],
    ["cut", (file: string) => truncateSync(file, 20)],
    ["added to", (file: string) => appendFileSync(file, "x")],
  ])("is detected to be %s during the run", (_, harm) => {
    const journal = open(newPlace());
    journal.recordSend(0);
    harm(journal.file);
    const failure = failureOf(() => journal.recordSend(1));
    expect(failure).toMatchObject({ kind: "io", exitCode: 1, facts: { retryable: false } });
    expect(failure.message).toContain(journal.file);
    expect(journal.state(1)).toBe("unsent");
  });

  it("is detected to be moved with its folder, between many sends and at the end", () => {
    const rows = 100;
    const place = newPlace(rows);
    const journal = open(place);
    const sendAll = () => {
      for (let row = 0; row < rows; row += 1)
        if (journal.state(row) === "unsent") journal.recordSend(row);
    };
    for (let row = 0; row < rows / 2; row += 1) journal.recordSend(row);
    renameSync(place.folder, `${place.folder}.old`);
    expect(failureOf(sendAll).kind).toBe("io");
    expect(journal.counts.unsent).toBeGreaterThan(rows / 4);
    renameSync(`${place.folder}.old`, place.folder);
    sendAll();
    renameSync(place.folder, `${place.folder}.old`);
    expect(failureOf(() => journal.finish()).kind).toBe("io");
    expect(journal.isFinished).toBe(false);
  });
});

function replace(file: string): void {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}
