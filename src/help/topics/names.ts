/** The topics of `pets help`, in their order there. Their texts are in other files, which take longer to load. */
export const topicSummaries = {
  environment: "variables and files that pets reads",
  "exit-codes": "exit codes and errors, for scripts",
  output: "formats, fields, color and escapes",
  "rate-limits": "waiting, retries and the shared rate limiter",
  fleet: "sharing rate limits between machines",
  import: "adding many animals: formats, resuming, results",
  store: "running a local store",
  faults: "faults, scripts and the clock of a local store",
  checks: "judging HTTP clients with a local store",
  profiles: "keys and base URLs, and where they are stored",
} as const;

export type TopicName = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries).filter(isTopicName);

/** Returns whether `pets help NAME` is a topic. */
export function isTopicName(name: string): name is TopicName {
  return Object.hasOwn(topicSummaries, name);
}
