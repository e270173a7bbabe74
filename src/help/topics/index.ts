import { environment } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";
import { output } from "./output.ts";
import { rateLimits } from "./rate-limits.ts";
import type { Topic } from "./topic.ts";

/** The texts of `pets help <topic>`, in the order in which they are listed. */
export const topics: Readonly<Record<string, Topic>> = {
  environment,
  "exit-codes": exitCodes,
  output,
  "rate-limits": rateLimits,
};

/** The names of the topics, in the order in which they are listed. */
export const topicNames: readonly string[] = Object.keys(topics);
