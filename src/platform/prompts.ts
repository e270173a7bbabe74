import { input as textPrompt, select } from "@inquirer/prompts";
import { usageFailure } from "../core/errors.ts";
import { escapeControls } from "../core/sanitize.ts";
import type { Prompts, Terminal } from "./io.ts";

/** Without colours: they would be those of standard output. */
const theme = {
  prefix: "?",
  style: {
    answer: String,
    message: String,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `[${text}]`,
    highlight: String,
  },
};

/** How many choices are shown at once, and how many lines a question needs beside them. */
const maxShown = 10;
const otherLines = 4;

/** Returns questions on the terminal; what they show is escaped. Ctrl-C interrupts the program. */
export function openPrompts({ stdin, stderr, interrupt }: Terminal, signal: AbortSignal): Prompts {
  const [input, output] = [stdin(), stderr()];
  const answer = async <Value>(
    ask: (context: Parameters<typeof select>[1]) => Promise<Value>,
  ): Promise<Value> => {
    const ended = new AbortController();
    // At the end of input no prompt would settle; after Ctrl-Z and `fg` none would read.
    const onPause = () => setImmediate(() => (input.isRaw ? input.resume() : ended.abort()));
    input.on("pause", onPause);
    try {
      return await ask({ input, output, signal: AbortSignal.any([signal, ended.signal]) });
    } catch (error) {
      if (error instanceof Error && error.name === "ExitPromptError") interrupt();
      signal.throwIfAborted();
      throw usageFailure("end of input at a question; nothing was sent");
    } finally {
      input.off("pause", onPause);
    }
  };
  return {
    select: (question, choices, first) => {
      const shown = choices.map(({ name, value }) => ({ name: escapeControls(name), value }));
      const start = first !== undefined && { default: first };
      const pageSize = Math.max(2, Math.min(maxShown, (output.rows ?? 24) - otherLines));
      const count = shown.length > pageSize ? `${pageSize} of ${shown.length}; ` : "";
      const keysHelpTip = (): string => `(${count}arrow keys move, Enter selects)`;
      const ownTheme = { ...theme, style: { ...theme.style, keysHelpTip } };
      const message = escapeControls(question);
      const config = { message, choices: shown, pageSize, loop: false, theme: ownTheme };
      return answer((context) => select({ ...config, ...start }, context));
    },
    text: (question, check, offered) => {
      const validate = (text: string) => check(text) ?? true;
      const start = offered !== undefined && { default: escapeControls(offered) };
      const config = { message: escapeControls(question), validate, theme };
      return answer((context) => textPrompt({ ...config, ...start }, context));
    },
  };
}
