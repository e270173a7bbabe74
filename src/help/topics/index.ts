import { environment } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";
import type { TopicName } from "./names.ts";
import { output } from "./output.ts";
import { rateLimits } from "./rate-limits.ts";
import type { Topic } from "./topic.ts";

/** The texts of `pets help <topic>`, in the order in which they are listed. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  environment,
  "exit-codes": exitCodes,
  output,
  "rate-limits": rateLimits,
};
