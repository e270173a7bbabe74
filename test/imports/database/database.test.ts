import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  listImports,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, rowsOf, stagedDatabase, stageRows, testImport } from "../support/run.ts";

it.each([
  ["nothing is", "", "none"],
  ["an empty directory is", "", "folder"],
  ["a file is", "file", "file"],
  ["a file in its path is", "file", "file/folder"],
])("counts as empty for reading where %s", (_what, file, place) => {
  const root = temporaryFolder();
  mkdirSync(path.join(root, "folder"));
  if (file !== "") writeFileSync(path.join(root, file), "");
  const folder = path.join(root, place);
  const database = new ImportDatabase(folder, "read");
  expect(database.all("SELECT * FROM imports")).toEqual([]);
  database.close();
  if (file === "") return;
  const failure = failureOf(() => new ImportDatabase(folder, "write"));
  expect(failure).toMatchObject({ kind: "io", exitCode: 1 });
});

it("names the variable that helps where it cannot be made", () => {
  const failure = failureOf(() => new ImportDatabase("/proc/none/pets", "write"));
  expect(failure.message).toMatch(/^the record of imports \/proc\/none\/pets\/imports\.db cannot/);
  expect(failure.hints).toContain("To keep it elsewhere, set XDG_STATE_HOME.");
});

function overwrite(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, at, at + 4096);
  writeFileSync(file, bytes);
}

it.each<[string, (file: string) => void]>([
  ["empty", (file) => writeFileSync(file, "")],
  ["another file", (file) => writeFileSync(file, "names\n".repeat(1000))],
  ["cut off", (file) => truncateSync(file, 12_288)],
  ["overwritten in the middle", (file) => overwrite(file, 8192)],
  ["overwritten at its start", (file) => overwrite(file, 0)],
])("is refused if it is %s, and left as it is", async (_what, damage) => {
  const folder = temporaryFolder();
  const file = path.join(folder, "imports.db");
  const database = new ImportDatabase(folder, "write");
  stageRows(database, rowsOf(200));
  await beginImport(database, newImport());
  database.close();
  damage(file);
  const before = readFileSync(file);
  for (const access of ["read", "write"] as const)
    expect(failureOf(() => new ImportDatabase(folder, access))).toMatchObject({
      kind: "usage",
      message: expect.stringContaining(file),
    });
  expect(readFileSync(file).equals(before)).toBe(true);
});

it.each<[string, (database: ImportDatabase) => unknown, string]>([
  ["is full", (database) => database.exec("PRAGMA main.max_page_count = 1"), "Make room, then run"],
  [
    "is locked",
    (database) => {
      const other = new DatabaseSync(path.join(database.folder, "imports.db"));
      onTestFinished(() => other.close());
      other.exec("BEGIN IMMEDIATE");
    },
    "Make sure that it can be written, then run",
  ],
])("once it is there, one that %s is to be used in its place", async (_what, change, hint) => {
  const database = stagedDatabase(rowsOf(200), temporaryFolder(), {
    sleep: async () => {},
    note() {},
  });
  change(database);
  const failure: unknown = await beginImport(database, newImport()).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    kind: "io",
    message: expect.stringContaining("imports.db cannot be used: "),
    hints: ["It prevents adding an animal twice.", `${hint} the same command again.`],
  });
});

it("tells a full temporary directory as that", () => {
  const database = stagedDatabase([]);
  database.exec("PRAGMA temp.max_page_count = 1");
  expect(failureOf(() => database.exec("CREATE TEMP TABLE more (value)"))).toMatchObject({
    kind: "io",
    message: expect.stringMatching(/^a temporary file cannot be written: /),
    hints: [expect.stringContaining("TMPDIR")],
  });
});

it("throws where a row that is to be changed is gone", () => {
  const database = stagedDatabase([]);
  const rename = "UPDATE imports SET name = 'b' WHERE id = ?";
  expect(database.run(rename, 1)).toBe(0);
  expect(() => database.change(rename, 1)).toThrow("not as recorded");
});

// As version 5 made it; of its rows those of the first import are animals that those of the others stand for.
const version5 = `CREATE TABLE imports (id INTEGER PRIMARY KEY AUTOINCREMENT, input TEXT NOT NULL, name TEXT NOT NULL,
  address TEXT NOT NULL, host TEXT NOT NULL, store TEXT, rows INTEGER NOT NULL, started INTEGER NOT NULL,
  active INTEGER NOT NULL, isAgain INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0, rejected INTEGER NOT NULL DEFAULT 0, unknown INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0, invalid INTEGER NOT NULL,
  isReady INTEGER NOT NULL DEFAULT 0,
  unsent INTEGER AS (rows - sent - added - rejected - unknown - known - changed - invalid)) STRICT;
CREATE INDEX imports_by_input ON imports(input);
CREATE TABLE rows (import INTEGER NOT NULL, number INTEGER NOT NULL, line INTEGER NOT NULL, status TEXT NOT NULL,
  state TEXT NOT NULL, id INTEGER, code TEXT, error TEXT, PRIMARY KEY (import, number)) STRICT, WITHOUT ROWID;
CREATE TABLE prints (print BLOB NOT NULL, import INTEGER NOT NULL, number INTEGER NOT NULL, key BLOB,
  PRIMARY KEY (print, import, number)) STRICT, WITHOUT ROWID;
CREATE TABLE keys (key BLOB NOT NULL, import INTEGER NOT NULL, number INTEGER NOT NULL, print BLOB NOT NULL,
  PRIMARY KEY (key, import, number)) STRICT, WITHOUT ROWID;
CREATE TABLE starts (count INTEGER NOT NULL) STRICT;
INSERT INTO starts VALUES (3);
PRAGMA application_id = 0x70657473;
PRAGMA user_version = 5`;

/** Rows of three imports, the last of which is to another store: state, and id if there is one; and what they are now. */
const rowsOf5 = [
  [
    ["added 10", "added 10"],
    ["added 11", "added 11"],
    ["unknown", "unknown"],
    ["sent", "unknown"],
    ["rejected", "rejected"],
    ["invalid", "invalid"],
    ["unsent", "unsent"],
  ],
  [
    ["known 10", "known 10"],
    ["known 10", "unsent"],
    ["changed 11", "changed 11"],
    ["known", "unsent"],
    ["known 20", "unsent"],
    ["added 12", "added 12"],
  ],
  [
    ["added 20", "added 20"],
    ["known 10", "unsent"],
  ],
] as const;

/** Writes a record of a version up to 5, and returns its directory. */
function recordOfVersion(version: number): string {
  const folder = temporaryFolder();
  using old = new DatabaseSync(path.join(folder, "imports.db"));
  old.exec(`PRAGMA auto_vacuum = FULL; ${version5}`);
  for (const [at, rows] of rowsOf5.entries()) {
    const store = at === 2 ? "'other'" : "NULL";
    old.exec(`INSERT INTO imports (input, name, address, host, store, rows, started, active, invalid, isReady)
      VALUES ('${at}', 'old.csv', 'b', 'shop.example', ${store}, ${rows.length}, 0, 0, 0, 1)`);
    for (const [number, [was]] of rows.entries()) {
      const [state = "", id = null] = was.split(" ");
      const insert = old.prepare("INSERT INTO rows VALUES (?, ?, ?, '', ?, ?, NULL, NULL)");
      insert.run(at + 1, number, number + 1, state, id);
    }
  }
  old.exec(
    `UPDATE imports SET address = 'elsewhere' WHERE id = 3; PRAGMA user_version = ${version}`,
  );
  old.exec("PRAGMA journal_mode = WAL");
  return folder;
}

const versionIn = (folder: string): unknown => {
  using database = new DatabaseSync(path.join(folder, "imports.db"), { readOnly: true });
  return database.prepare("PRAGMA user_version").get()?.user_version;
};

it("takes over a record of version 5, to be read or written", async () => {
  const folder = recordOfVersion(5);
  for (const [access, version] of [
    ["read", 5],
    ["write", 6],
    ["write", 6],
    ["read", 6],
  ] as const) {
    using database = new ImportDatabase(folder, access);
    const now = rowsOf5.map((_rows, at) =>
      recordedRows(database, { id: at + 1 }, 0, 9).map(({ outcome, id }) =>
        id === null ? outcome : `${outcome} ${id}`,
      ),
    );
    expect(now).toEqual(rowsOf5.map((rows) => rows.map(([, is]) => is)));
    expect(listImports(database)).toMatchObject([
      { id: 3, rows: 2, added: 1, unsent: 1 },
      { id: 2, rows: 6, added: 1, known: 1, changed: 1, unsent: 3, boot: "", sentAt: 0 },
      { id: 1, rows: 7, added: 2, rejected: 1, unknown: 2, invalid: 1, unsent: 1 },
    ]);
    const covers =
      "SELECT import, number, byImport, byNumber, isChanged FROM covers ORDER BY number";
    expect(database.all(covers)).toEqual([
      { import: 2, number: 0, byImport: 1, byNumber: 0, isChanged: 0 },
      { import: 2, number: 2, byImport: 1, byNumber: 1, isChanged: 1 },
    ]);
    expect(versionIn(folder)).toBe(version);
  }
  await testImport(rowsOf(3), {}, { folder, input: "new" });
  using database = new ImportDatabase(folder, "read");
  expect(listImports(database)).toMatchObject([{ id: 4, unsent: 3 }, {}, {}, {}]);
});

it("refuses a record of version 4", () => {
  const folder = recordOfVersion(4);
  for (const access of ["read", "write"] as const)
    expect(failureOf(() => new ImportDatabase(folder, access)).message).toMatch(
      /imports\.db cannot be read: it is of version 4, not 6$/,
    );
  expect(versionIn(folder)).toBe(4);
});
