import path from "node:path";
import type { Context } from "../context.ts";
import { usageFailure } from "../../core/errors.ts";
import { isDatabaseUrl } from "../../server/storage/open.ts";

/** The flags that say where everything is kept, as typed. */
export interface DataOptions {
  readonly data?: string;
  readonly memory?: boolean;
}

/** Where everything is kept. */
export interface DataPlace {
  /** The data file, or the URL of a database; undefined for memory. */
  readonly file: string | undefined;
  /** Whether the file is in the program's own data folder, which then has to be made. */
  readonly isDefaultFolder: boolean;
}

/** Also one of a database that is mistyped: no file is to be named after a password. */
const looksLikeUrl = /^\s*(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:)/i;

type PersistentLocation = DataPlace & { readonly file: string };

/**
 * Where the store is to keep all: by --data or --memory, without them in memory for a command, else in
 * the program's own data folder. Throws a usage Failure.
 */
export function readData(
  context: Context,
  { data, memory }: DataOptions,
  hasCommand: boolean,
): DataPlace {
  if (data !== undefined && memory === true)
    throw usageFailure("--data and --memory can't be given together");
  if (memory === true || (hasCommand && data === undefined))
    return { file: undefined, isDefaultFolder: false };
  return dataLocation(context, data);
}

/** What `--data` names; without it, a file in the program's own data folder. Throws a usage Failure. */
export function dataLocation({ folders }: Context, data: string | undefined): PersistentLocation {
  if (data !== undefined) return { file: parseFile(data), isDefaultFolder: false };
  return { file: path.join(folders.data, "store.db"), isDefaultFolder: true };
}

function parseFile(text: string): string {
  if (text === "")
    throw usageFailure("--data must be the name of a file or a postgres:// URL, and is empty");
  if (isDatabaseUrl(text) || !looksLikeUrl.test(text)) return text;
  throw usageFailure(
    "--data must be the name of a file or a URL as in postgres://user@host:5432/database, not another address",
  );
}
