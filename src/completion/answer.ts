import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Shell } from "../core/enums.ts";
import { complete, type Completion } from "./complete.ts";

/** The hidden command that the scripts of all shells call: `pets __complete SHELL WORD… .CURRENT`. */
export const completeCommand = "__complete";

/**
 * Returns what the script of a shell reads: a line with the kind of completion, then a line per candidate, with
 * a tab and its description. `words` follow `pets`; the last one is that at the cursor, with a dot before it, so that
 * no shell drops an empty one. With bash `cut` characters of each candidate are left out.
 */
export function completionText(
  program: CommandUnknownOpts,
  shell: Shell,
  words: readonly string[],
  profiles: () => readonly string[],
): string {
  const current = words.at(-1)?.slice(1) ?? "";
  const before = words.slice(0, -1);
  if (shell !== "bash") return textOf(complete(program, { words: before, current }, profiles));
  // After `>` or the like comes a file.
  if (/^(?:[<>]|>>|>\||&>>?)$/.test(before.at(-1) ?? "")) return "files \n";
  const joined = joinPieces([...before, current]);
  const completion = complete(program, joined, profiles);
  return textOf(withoutStart(completion, joined.cut), false);
}

function textOf(completion: Completion, isDescribed = true): string {
  if (completion.kind === "files") return `files ${completion.before}\n`;
  const lines = completion.words.map(({ name, description }) =>
    isDescribed && description !== "" ? `${name}\t${description}` : name,
  );
  return [completion.kind, ...lines].map((line) => `${line}\n`).join("");
}

function withoutStart(completion: Completion, cut: number): Completion {
  if (!("words" in completion)) return completion;
  const words = completion.words.map(({ name, description }) => ({
    name: name.slice(cut),
    description,
  }));
  return { ...completion, words: words.filter(({ name }) => name !== "") };
}

/**
 * Returns words of which bash made pieces, because COMP_WORDBREAKS has `=` and `:`, and how much of the last
 * one is in pieces before it.
 */
function joinPieces(pieces: readonly string[]) {
  const words: string[] = [];
  let joins = false;
  let cut = 0;
  for (const piece of pieces) {
    const isBreak = piece !== "" && /^[=:]+$/.test(piece);
    const last = words.at(-1);
    if (last !== undefined && (isBreak || (joins && piece !== ""))) {
      cut = last.length + (isBreak ? piece.length : 0);
      words[words.length - 1] = last + piece;
    } else {
      cut = 0;
      words.push(piece);
    }
    joins = isBreak;
  }
  const current = (words.pop() ?? "").replace(/^["']/, "");
  return { words, current, cut };
}
