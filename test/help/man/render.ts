import { spawnSync } from "node:child_process";
import { hasProgram } from "../../support/program/has-program.ts";

/** A program that shows man pages, and what it needs to show one from standard input. */
interface Renderer {
  readonly name: string;
  readonly words: (encoding: "utf8" | "ascii") => readonly string[];
}

/** The usual renderers of man pages: groff on Linux; mandoc on BSD, macOS and Alpine. */
const renderers: readonly Renderer[] = [
  { name: "mandoc", words: (encoding) => ["-T", encoding, "-W", "warning", "-K", "us-ascii"] },
  { name: "groff", words: (encoding) => ["-man", "-ww", `-T${encoding}`, "-P-cbou"] },
];

export const available = renderers.filter(({ name }) => hasProgram(name));

/** Returns `page` as `renderer` shows it, without bold and italics, and its complaints. */
export function render(
  { name, words }: Renderer,
  page: string,
  encoding: "utf8" | "ascii" = "utf8",
): { readonly text: string; readonly complaints: string } {
  const run = spawnSync(name, words(encoding), { input: page, encoding: "utf8" });
  if (run.error !== undefined) throw run.error;
  return { text: run.stdout.replaceAll(/.\x08/gu, ""), complaints: run.stderr };
}
