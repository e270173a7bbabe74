/** The names of the topics in the order in which they are listed, apart from their texts. */
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
