import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell, Line } from "./cells.ts";
import { type Frame, filmSvg } from "./film.ts";
import { framesOf } from "./frames.ts";
import { textOf } from "./screen.ts";
import { chooseStill } from "./still.ts";
import { heightOf } from "./svg.ts";
import { contentOf, elementsOf, parseXml, type XmlElement } from "./xml.ts";

const lineOf = (text: string): Line =>
  Array.from(text, (each): Cell => ({ text: each, width: 1, style: {} }));

const options = { title: "t", description: "d", columns: 20, rows: 4, length: 1000 };

/** Returns the texts that an SVG shows at this share of its length, by row; undefined is the still image. */
function shownAt(svg: string, percent?: number): Record<number, string> {
  const document = parseXml(svg);
  const css = contentOf(elementsOf(document, "style")[0] as XmlElement);
  const hidden = /^(.*)\{visibility:hidden\}$/m.exec(css)?.[1]?.split(",") ?? [];
  const isShown = ({ attributes }: XmlElement): boolean => {
    if (attributes.class === undefined) return true;
    const atRest = !hidden.includes(`.${attributes.class}`);
    const value = percent === undefined ? undefined : valueAt(css, attributes.class, percent);
    return value === undefined ? atRest : value === "visibility:visible";
  };
  const shown = elementsOf(document, "text").filter(isShown);
  return Object.fromEntries(shown.map((text) => [rowOf(text), contentOf(text)]));
}

const rowOf = ({ attributes }: XmlElement): number =>
  Math.floor(Number(attributes.y) / heightOf(1));

/** Returns what the animation `name` sets at this moment; each rule holds until the next one. */
function valueAt(css: string, name: string, percent: number): string | undefined {
  const rules = new RegExp(`^@keyframes ${name}\\{(.*)\\}\\.${name}\\{`, "m").exec(css)?.[1] ?? "";
  const steps = [...rules.matchAll(/([\d.]+)%\{([^}]*)\}/g)];
  return steps.findLast(([, from]) => Number(from) <= percent)?.[2];
}

const textsOf = (lines: readonly Line[]): Record<number, string> =>
  Object.fromEntries(
    lines.map((line, row) => [row, textOf(line)]).filter(([, text]) => text !== ""),
  );

describe("a film", () => {
  const frame = fc.record({
    lines: fc.array(fc.constantFrom("", "a", "b", "c d").map(lineOf), { maxLength: 6 }),
    scrolled: fc.nat(3),
  });

  it("shows what was on the terminal frame by frame, and the still frame without animation", () => {
    const film = fc
      .array(frame, { minLength: 1, maxLength: 9 })
      .chain((frames) => fc.tuple(fc.constant(frames), fc.nat(frames.length - 1)));
    fc.assert(
      fc.property(film, ([drawn, still]) => {
        const frames = drawn.map((each, i): Frame => ({ ...each, at: i * 100 }));
        const svg = filmSvg(frames, { ...options, still });
        const css = contentOf(elementsOf(parseXml(svg), "style")[0] as XmlElement);
        for (const [i, { lines, scrolled }] of frames.entries()) {
          for (const percent of [i * 10, i * 10 + 9.9]) {
            expect(shownAt(svg, percent)).toEqual(textsOf(lines));
            const moved = scrolled === 0 ? "0" : `-${heightOf(scrolled)}px`;
            expect(valueAt(css, "roll", percent)).toBe(`transform:translateY(${moved})`);
          }
        }
        expect(shownAt(svg)).toEqual(textsOf(frames[still]?.lines ?? []));
        const roll = elementsOf(parseXml(svg), "g").find(({ attributes }) => attributes.class);
        const atRest = heightOf(frames[still]?.scrolled ?? 0);
        expect(roll?.attributes.transform).toBe(`translate(0 -${atRest})`);
      }),
    );
  });

  it("moves only if the viewer does not prefer reduced motion", () => {
    const css = filmSvg([{ at: 0, scrolled: 0, lines: [lineOf("a")] }], { ...options, still: 0 });
    expect(css.match(/animation:[^}]*/g)).toEqual(["animation:1000ms step-end infinite"]);
    expect(css).toContain("@media(prefers-reduced-motion:no-preference){text,g{animation:");
  });
});

describe("the frames of a recording", () => {
  const size = { columns: 20, rows: 2 };

  it("show what stayed for a while, and never a line that is being rewritten", async () => {
    const frames = await framesOf(
      [
        { at: -50, text: "$ " },
        { at: 1, text: "go\r\n" },
        { at: 400, text: "1/2" },
        { at: 800, text: "\r\u001b[K" },
        { at: 803, text: "row\r\n" },
        { at: 806, text: "2/2" },
        { at: 900, text: "\r\u001b[K" },
        { at: 940, text: "done" },
      ],
      size,
    );
    const seen = frames.map(({ at, lines, scrolled }) => [at, scrolled, lines.map(textOf)]);
    expect(seen).toEqual([
      [0, 0, ["$ go"]],
      [400, 0, ["$ go", "1/2"]],
      [806, 1, ["$ go", "row", "done"]],
    ]);
  });
});

const frames = (...texts: string[]): Frame[] =>
  texts.map((text, at) => ({ at, scrolled: 0, lines: [lineOf("row"), lineOf(text)] }));
const bar = (done: number): string => `[##--] ${done}/10 · 4 s left`;

describe("the still frame", () => {
  const waiting = "[##--] 3/10 · 4 s left · next 7 in 4 s";

  it("is the last one with a complete bar that is not nearly done", () => {
    expect(chooseStill(frames("[#---] 0/10", bar(2), waiting, bar(8), bar(10), "$"))).toBe(3);
  });

  it.each([[[bar(2), bar(8)]], [[waiting, bar(10)]], [[]]])("does not exist among %j", (texts) => {
    expect(() => chooseStill(frames(...texts))).toThrow("nothing to see");
  });
});
