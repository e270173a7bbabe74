import { facts } from "../facts.ts";
import { plainText } from "../markdown.ts";
import checks from "./checks.md";
import environment from "./environment.md";
import exitCodes from "./exit-codes.md";
import faults from "./faults.md";
import fleet from "./fleet.md";
import imports from "./import.md";
import type { TopicName } from "./names.ts";
import output from "./output.md";
import profiles from "./profiles.md";
import rateLimits from "./rate-limits.md";
import store from "./store.md";

/** The topics as Markdown. */
export const topics: Readonly<Record<TopicName, string>> = {
  environment: withFacts(environment),
  "exit-codes": withFacts(exitCodes),
  output,
  "rate-limits": rateLimits,
  fleet,
  import: imports,
  store,
  faults,
  checks,
  profiles,
};

/** Returns the topic called `name` as text for a screen of `columns`. */
export function topicText(name: TopicName, columns?: number): string {
  return `${plainText(topics[name], columns)}\n`;
}

/** Returns a topic with a table in place of each link to facts. */
function withFacts(topic: string): string {
  return Object.entries(facts).reduce(
    (text, [name, meanings]) => text.replace(`[${name}](../facts.ts)`, () => tableOf(meanings)),
    topic,
  );
}

function tableOf(meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(meanings).map(
    ([name, meaning]) => `${name} | ${meaning.replaceAll("|", "\\|")}`,
  );
  return ["name | meaning", "- | -", ...rows].join("\n");
}
