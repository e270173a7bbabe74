import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../client/types.ts";
import type { PageQuery } from "../../routes/list-query.ts";
import { petJson } from "../../routes/pet-json.ts";

/** Keeps animals under ascending ids from 1, inside whatever transaction is open. */
export function petInserter(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)");
  const last = database.prepare("SELECT max(id) AS id FROM pets");
  last.setReadBigInts(true);
  const lastId = (): bigint => {
    const id = last.get()?.id;
    return typeof id === "bigint" ? id : 0n;
  };
  let previous = lastId();
  return {
    one: (pet: NewPet): string => {
      const id = previous + 1n;
      const json = petJson(id, pet);
      insert.run(id, pet.status ?? null, json);
      previous = id;
      return json;
    },
    /** Reads the last id again, because a transaction was undone. */
    reloadLastId: () => {
      previous = lastId();
    },
  };
}

/** Reads the JSON of the newest animals, newest first. */
export function pageReader(database: DatabaseSync): (query: PageQuery) => readonly string[] {
  const newest = (condition: string) =>
    database.prepare(`SELECT json FROM pets ${condition} ORDER BY id DESC LIMIT ?`);
  const all = newest("");
  const ofStatus = newest("WHERE status = ?");
  return ({ limit, status }) => {
    const rows = status === undefined ? all.all(limit) : ofStatus.all(status, limit);
    return rows.map(({ json }) => String(json));
  };
}
