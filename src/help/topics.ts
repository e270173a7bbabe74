import { environment } from "./topics/environment.ts";
import { exitCodes } from "./topics/exit-codes.ts";
import { output } from "./topics/output.ts";
import { plainBlocks } from "./render-text.ts";
import { rateLimits } from "./topics/rate-limits.ts";
import type { Topic } from "./topic.ts";

/** The texts of `pets help <topic>`, in the order in which they are told. */
export const topics: Readonly<Record<string, Topic>> = {
  environment,
  "exit-codes": exitCodes,
  output,
  "rate-limits": rateLimits,
};

/** The topic called `name` as text for a screen of `columns`; undefined where there is none. */
export function topicText(name: string, columns?: number): string | undefined {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  return topic && `${plainBlocks(topic.blocks, columns)}\n`;
}
