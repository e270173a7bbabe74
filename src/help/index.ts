import { plainBlocks } from "./render-text.ts";
import { topics } from "./topics/index.ts";

export { commandHelp } from "./render-text.ts";
export { topicNames } from "./topics/index.ts";

/** The topic called `name` as text for a screen of `columns`; undefined where there is none. */
export function topicText(name: string, columns?: number): string | undefined {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  return topic && `${plainBlocks(topic.blocks, columns)}\n`;
}
