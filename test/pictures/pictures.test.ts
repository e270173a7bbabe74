import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** Returns the pictures that a document shows with an alternative text. */
const shownIn = (file: string): readonly (string | undefined)[] =>
  [...read(file).matchAll(/!\[[^\]]{40,}\]\(([^)]*)\)/g)].map(([, picture]) => picture);

describe("the picture of the page", () => {
  it("is small, and shown in the topic `store`", () => {
    expect(shownIn("src/help/topics/store.md")).toEqual([
      "../../../test/pictures/page-request.png",
    ]);
    expect(statSync(path.join(root, "test/pictures/page-request.png")).size).toBeLessThan(200_000);
  });
});
