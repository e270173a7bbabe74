/** The topics for everyone. The texts of topics are in other files, which take longer to load. */
export const everydayTopics = {
  import: "adding many animals: files, mappings, resuming",
  output: "formats, fields, color and escapes",
  profiles: "keys and base URLs, and where they are stored",
  "rate-limits": "waiting, retries and the shared rate limiter",
  "exit-codes": "exit codes and errors, for scripts",
  environment: "variables and files that pets reads",
  fleet: "sharing rate limits between machines",
} as const;

/** Those for people who run a local store, to test what calls the service. */
export const storeTopics = {
  store: "running a local store",
  faults: "faults, scripts and the clock of a local store",
  checks: "judging HTTP clients with a local store",
} as const;

/** The topics of `pets help`, in their order there. */
export const topicSummaries = { ...everydayTopics, ...storeTopics };

export type TopicName = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries).filter(isTopicName);

/** Returns whether `pets help NAME` is a topic. */
export function isTopicName(name: string): name is TopicName {
  return Object.hasOwn(topicSummaries, name);
}
