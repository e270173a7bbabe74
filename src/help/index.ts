import { topics } from "./topics.ts";

export { commandHelp } from "./command-help.ts";
export { topicText } from "./topics.ts";

/** The names of the topics, in the order in which they are told. */
export const topicNames: readonly string[] = Object.keys(topics);
