import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const picture = path.join(import.meta.dirname, "page-request.png");
const topics = path.resolve(import.meta.dirname, "../../src/help/topics");

it("is small, and shown in the topic `store` with an alternative text", () => {
  const topic = readFileSync(`${topics}/store.md`, "utf8");
  const [, shown = ""] = /!\[[^\]]{40,}\]\(([^)]*)\)/.exec(topic) ?? [];
  expect(path.resolve(topics, shown)).toBe(picture);
  expect(statSync(picture).size).toBeLessThan(200_000);
});
