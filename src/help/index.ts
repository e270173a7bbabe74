import { plainBlocks } from "./render-text.ts";
import { topicNames } from "./topics/names.ts";
import { topics } from "./topics/index.ts";

export { commandHelp } from "./render-text.ts";
export { findCommand, pathsBelow, wordsOf } from "./sections.ts";
export { topicNames } from "./topics/names.ts";

/** Returns the topic called `name` as text for a screen of `columns`; undefined if there is none. */
export function topicText(name: string, columns?: number): string | undefined {
  const found = topicNames.find((topic) => topic === name);
  return found && `${plainBlocks(topics[found].blocks, columns)}\n`;
}
