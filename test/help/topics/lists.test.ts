import { expect, it } from "vitest";
import { faultKinds, inputFormats, outputFormatNames, planNames } from "../../../src/core/enums.ts";
import { petFieldNames } from "../../../src/core/pet-fields.ts";
import { topics } from "../../../src/help/topics/index.ts";
import { resultFields } from "../../../src/imports/input/columns.ts";

it.each<[keyof typeof topics, readonly string[]]>([
  ["environment", outputFormatNames],
  ["output", outputFormatNames],
  ["output", petFieldNames],
  ["import", inputFormats],
  ["import", resultFields],
  ["store", planNames],
  ["faults", faultKinds],
])("the topic %s names each of %j", (topic, names) => {
  const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`, "i").test(topics[topic]));
  expect(missing).toEqual([]);
});
