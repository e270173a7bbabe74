import path from "node:path";
import { describe, expect, it } from "vitest";
import { fileStorage, runSql } from "../../../support/data-file.ts";
import { temporaryFolder } from "../../../support/program.ts";

describe("the schema of a data file", () => {
  it.each(["pets", "keys"])("that lacks the table %s is refused, by name", async (table) => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    runSql(file, `DROP TABLE ${table}`);
    const start = () => fileStorage(file);
    expect(start).toThrow(`the data file ${file} can't be used: no such table: ${table}`);
    expect(start).not.toThrow("in use");
  });
});
