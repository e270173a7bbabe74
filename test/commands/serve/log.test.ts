import { expect, it } from "vitest";
import { throttleByMessage } from "../../../src/commands/serve/serve-repeats.ts";

it("tells a text again only after ten seconds, and each text by itself", () => {
  let now = 5;
  const isNew = throttleByMessage({ monotonic: () => now });
  const asked: readonly (readonly [number, string, boolean])[] = [
    [0, "gone", true],
    [1, "gone", false],
    [1, "full", true],
    [9_999, "gone", false],
    [10_000, "gone", true],
    [10_001, "gone", false],
  ];
  for (const [moment, text, answer] of asked) {
    now = 5 + moment;
    expect([moment, text, isNew(text)]).toEqual([moment, text, answer]);
  }
});
