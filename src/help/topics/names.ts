/** The names of the topics, in the order in which they are listed; their texts are in other files. */
export const topicNames = [
  "environment",
  "exit-codes",
  "output",
  "rate-limits",
  "fleet",
  "bulk",
  "store",
  "profiles",
  "performance",
] as const;

export type TopicName = (typeof topicNames)[number];
