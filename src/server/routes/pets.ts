import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../http/body.ts";
import { readPageQuery } from "./list-query.ts";
import { InvalidPet, readNewPet } from "./pet-json.ts";
import { badRequest } from "./errors.ts";
import type { JsonBytes, Storage } from "../storage/storage.ts";

/** What is done at `/v1/pets`; each answers the body of its reply, or throws a Problem. */
export function petHandlers(storage: Storage) {
  return {
    /** The page that the query of `url` asks for. */
    list: (url: string): Promise<JsonBytes> => storage.list(readPageQuery(url)),
    /** Keeps the animal in the body of a request. */
    add: async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<string> =>
      storage.add(readPet(await readBody(incoming, outgoing))),
  };
}

function readPet(body: Uint8Array) {
  try {
    return readNewPet(body);
  } catch (error) {
    throw error instanceof InvalidPet ? badRequest(error.message) : error;
  }
}
