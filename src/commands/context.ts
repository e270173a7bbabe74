import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Column } from "../output/columns.ts";
import type { Service, ServiceContext } from "./service.ts";

/** What a command gets to work with; the heavy parts are made when they are first needed. */
export interface Context extends ServiceContext {
  readonly service: Service;
  /** Builds all commands, for help. */
  readonly buildProgram: () => CommandUnknownOpts;
  /** Hides the keys of this user, and passwords in URLs: someone may have typed one anywhere. */
  readonly redact: (text: string) => string;
  /** Prints a list of records, or a single one, in the requested format. */
  print(records: object | readonly object[], columns: readonly Column[]): Promise<void>;
}
