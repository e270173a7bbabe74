import { DatabaseSync } from "node:sqlite";
import { fileData } from "../../../src/server/storage/sqlite/index.ts";
import type { Storage } from "../../../src/server/storage/storage.ts";

export function fileStorage(file: string): Storage {
  return fileData(file, Date.now).storage;
}

/** Returns the JSON of the newest 100 animals. */
export const listed = async (storage: Storage): Promise<string> =>
  Buffer.from(await storage.list({ limit: 100, status: undefined })).toString();

/** Runs SQL on a database file as another program would. */
export function runSql(file: string, statements: string): void {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
}
