import { readMarkdown } from "../markdown.ts";
import { plainBlocks } from "../render-text.ts";
import { withVariables } from "../variables.ts";
import bulk from "./bulk.md";
import environment from "./environment.md";
import exitCodes from "./exit-codes.md";
import fleet from "./fleet.md";
import type { TopicName } from "./names.ts";
import output from "./output.md";
import performance from "./performance.md";
import profiles from "./profiles.md";
import rateLimits from "./rate-limits.md";
import store from "./store.md";

/** The Markdown of each topic. */
export const topics: Readonly<Record<TopicName, string>> = {
  environment: withVariables(environment),
  "exit-codes": exitCodes,
  output,
  "rate-limits": rateLimits,
  fleet,
  bulk,
  store,
  profiles,
  performance,
};

/** Returns the topic called `name` as text for a screen of `columns`. */
export function topicText(name: TopicName, columns?: number): string {
  return `${plainBlocks(readMarkdown(topics[name]), columns)}\n`;
}
