import { describe, expect, it } from "vitest";
import { JsonTokens } from "../../../src/imports/input/json-tokens.ts";

/** Returns the names of a text's tokens, and its first fault. Each piece is pushed separately. */
function read(...pieces: readonly string[]) {
  const tokens = new JsonTokens();
  const names: string[] = [];
  for (const piece of pieces) {
    const batch = tokens.push(piece);
    names.push(...batch.tokens.map(({ name }) => name));
    if (batch.fault !== undefined) return { names, fault: batch.fault };
  }
  const last = tokens.end();
  return { names: [...names, ...last.tokens.map(({ name }) => name)], fault: last.fault };
}

const withoutChunks = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !name.endsWith("Chunk"));

describe("JsonTokens", () => {
  const text = '[{"a\\n":-1.5e3},"é",true,null,false,[ 12 ]]\r\n';
  const expected = [
    "startArray startObject startKey endKey startNumber endNumber endObject",
    "startString endString trueValue nullValue falseValue",
    "startArray startNumber endNumber endArray endArray",
  ];

  it.each([[[text]], [Array.from(text)], [[text.slice(0, 27), text.slice(27)]]])(
    "reads the text in the pieces %j",
    (pieces) => {
      const { names, fault } = read(...pieces);
      expect(fault).toBeUndefined();
      expect(withoutChunks(names)).toEqual(expected.join(" ").split(" "));
    },
  );

  it.each<readonly [readonly string[], string, number, number]>([
    [["[1,\n  }"], "expected a value", 2, 3],
    [["[1,\r", "\n  }"], "expected a value", 2, 3],
    [["[tr", "uf]"], "expected a value", 1, 2],
    [["[1"], "the text ends", 1, 3],
    [["[", '"a'], "the text ends", 1, 4],
    [['["a\tb"]'], "a control character or an invalid escape in a string", 1, 4],
    [["[1] 2"], "unexpected characters", 1, 5],
  ])("reports the fault of %j: %s", (pieces, what, line, column) => {
    expect(read(...pieces).fault).toMatchObject({
      what: expect.stringContaining(what),
      line,
      column,
    });
  });

  it("returns the tokens before a fault", () => {
    expect(withoutChunks(read("[12 ,}").names)).toEqual(["startArray", "startNumber", "endNumber"]);
  });
});
