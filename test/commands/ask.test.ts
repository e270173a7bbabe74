import { describe, expect, it } from "vitest";
import { askUntilValid, isInteractive } from "../../src/commands/ask.ts";
import { usageFailure } from "../../src/core/errors.ts";
import { profileTest } from "./profile-context.ts";

/** Accepts digits. */
function parseDigits(answer: string): number {
  if (/^\d+$/.test(answer)) return Number(answer);
  if (answer === "bug") throw new TypeError("oh");
  if (answer === "x") throw usageFailure("not a number");
  throw usageFailure(`not a number: ${answer}`, "for example 7", "or 8");
}

it.each([
  [["7"], true, true],
  [["7"], false, false],
  [undefined, true, false],
])(
  "with the answers %j, and standard error on a terminal: %s, can ask: %s",
  (answers, stderrIsTTY, can) => {
    const { context } = profileTest({ ...(answers && { answers }), stderrIsTTY });
    expect(isInteractive(context)).toBe(can);
  },
);

describe("askUntilValid", () => {
  it("asks again until the answer is valid, and says why, with a hint if there is one", async () => {
    const { context, asked, stderr } = profileTest({ answers: ["x", "\x1b", "7"] });
    expect(await askUntilValid(context, "Number\x07: ", true, parseDigits)).toBe(7);
    expect(asked).toEqual(Array<string>(3).fill("hidden Number\\x07: "));
    expect(stderr.text).toBe("not a number\nnot a number: \\x1b\nfor example 7\n");
  });

  it("is ended by an internal error", async () => {
    const { context } = profileTest({ answers: ["bug", "7"] });
    await expect(askUntilValid(context, "", false, parseDigits)).rejects.toThrow("oh");
  });
});
