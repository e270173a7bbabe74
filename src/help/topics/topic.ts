import type { Block } from "../blocks.ts";

/** A text of `pets help <topic>`, and a section of the man page. */
export interface Topic {
  /** Its heading in the man page. */
  readonly heading: string;
  readonly blocks: readonly Block[];
}
