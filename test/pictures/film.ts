import type { Line } from "./cells.ts";
import type { Screen } from "./screen.ts";
import { heightOf, lineMarkup, windowSvg, type Words } from "./svg.ts";

/** What a terminal showed from some moment on, in ms from the start of the film. */
export interface Frame extends Screen {
  readonly at: number;
}

/** How a film is shown. */
export interface FilmOptions extends Words {
  readonly columns: number;
  readonly rows: number;
  /** How long it lasts, in ms, before it repeats. */
  readonly length: number;
  /** The frame that is shown without animation. */
  readonly still: number;
}

/** A line that is shown in the frames from `from` up to, but not including, `to`. */
interface Piece {
  readonly row: number;
  readonly line: Line;
  readonly from: number;
  readonly to: number;
}

/** When lines are shown, as the rules of an animation, and whether they are missing from the still frame. */
interface Time {
  readonly name: string;
  readonly rules: string;
  readonly isHidden: boolean;
}

/**
 * Returns a picture that shows `frames` in a loop, the first of them at 0 ms. Viewers that prefer reduced
 * motion, and those without support for animations, show the still one.
 */
export function filmSvg(frames: readonly Frame[], options: FilmOptions): string {
  const { length, still } = options;
  const percents = frames.map(({ at }) => `${Number(((at / length) * 100).toFixed(1))}%`);
  const times = new Map<string, Time>();
  const lines = piecesOf(frames).map((piece) => {
    const { row, line, from, to } = piece;
    if (from === 0 && to === frames.length) return lineMarkup(line, row);
    const isHidden = still < from || still >= to;
    const rules = visibilityRules(percents, piece, isHidden);
    const time = times.get(rules) ?? { name: `f${times.size}`, rules, isHidden };
    times.set(rules, time);
    return lineMarkup(line, row, ` class="${time.name}"`);
  });
  const hidden = [...times.values()].filter((time) => time.isHidden);
  const css = [
    `@media(prefers-reduced-motion:no-preference){text,g{animation:${length}ms step-end infinite}}`,
    `${[".hidden", ...hidden.map(({ name }) => `.${name}`)].join()}{visibility:hidden}`,
    animation("roll", rollRules(frames, percents)),
    ...Array.from(times.values(), ({ name, rules }) => animation(name, rules)),
  ];
  const moved = `transform="translate(0 -${heightOf(frames[still]?.scrolled ?? 0)})"`;
  const body = `<g class="roll" ${moved}>\n${lines.join("")}</g>\n`;
  return windowSvg({ ...options, body, css: css.map((rule) => `${rule}\n`).join("") });
}

/** Returns each content of each line, and the frames in which it is shown without a break. */
function piecesOf(frames: readonly Frame[]): readonly Piece[] {
  const rows = Math.max(0, ...frames.map(({ lines }) => lines.length));
  return Array.from({ length: rows }, (_none, row) => {
    const pieces: Piece[] = [];
    for (const [i, { lines }] of frames.entries()) {
      const [line, last] = [lines[row] ?? [], pieces.at(-1)];
      const isSame = last !== undefined && lineMarkup(last.line, row) === lineMarkup(line, row);
      if (isSame) pieces[pieces.length - 1] = { ...last, to: i + 1 };
      else pieces.push({ row, line, from: i, to: i + 1 });
    }
    return pieces.filter(({ line }) => lineMarkup(line, row) !== "");
  }).flat();
}

/** Returns the rules; with `step-end` each holds until the next one, and the last one to the end. */
function visibilityRules(
  percents: readonly string[],
  { from, to }: Piece,
  isHidden: boolean,
): string {
  return [
    ...(from > 0 && !isHidden ? ["0%{visibility:hidden}"] : []),
    `${percents[from]}{visibility:visible}`,
    ...(to < percents.length ? [`${percents[to]}{visibility:hidden}`] : []),
  ].join("");
}

function rollRules(frames: readonly Frame[], percents: readonly string[]): string {
  return frames
    .map(({ scrolled }, i) =>
      i > 0 && scrolled === frames[i - 1]?.scrolled ? "" : rollRule(percents[i] ?? "", scrolled),
    )
    .join("");
}

const rollRule = (moment: string, rows: number): string =>
  `${moment}{transform:translateY(${rows === 0 ? 0 : `-${heightOf(rows)}px`})}`;

const animation = (name: string, rules: string): string =>
  `@keyframes ${name}{${rules}}.${name}{animation-name:${name}}`;
