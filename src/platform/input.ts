import { fstatSync } from "node:fs";
import { usageFailure } from "../core/errors.ts";
import type { AskOptions, Input, Terminal } from "./io.ts";
import { isTerminal } from "./output.ts";

/** Returns standard input. Node's stream for it is only made when something is read. */
export function inputFrom(fd: number, terminal: Terminal): Input {
  return {
    get isTTY() {
      return isTerminal(fd, terminal.isatty);
    },
    [Symbol.asyncIterator]: () => read(fd, terminal),
    ask: (prompt, options) => ask(terminal, prompt, options),
    prompts: async (signal) => (await import("./prompts.ts")).openPrompts(terminal, signal),
  };
}

/** Reads standard input. Throws if it is a directory, from which Node would read nothing. */
async function* read(fd: number, { stdin }: Terminal): AsyncGenerator<Uint8Array> {
  if (fstatSync(fd).isDirectory()) throw new Error("it is a directory");
  yield* stdin();
}

/** How long what comes after a line belongs to one paste: a terminal passes it on in parts. */
const pasteMs = 30;

async function ask(
  { stdin, stderr, interrupt }: Terminal,
  prompt: string,
  { hidden = false, keepsPaste = false, typed = "", signal }: AskOptions,
): Promise<string> {
  const { createInterface } = await import("node:readline");
  const { setTimeout: sleep } = await import("node:timers/promises");
  const [input, screen] = [stdin(), stderr()];
  const output = hidden ? undefined : screen;
  const reader = createInterface({ input, output, signal, terminal: true, historySize: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const question = prompt.replace(/: *$/, "");
  const ended = usageFailure(`end of input at the prompt "${question}"`);
  reader.once("close", () => reject(signal.aborted ? signal.reason : ended));
  // In raw mode Ctrl-C is a key press, not a signal.
  reader.on("SIGINT", interrupt);
  // After Ctrl-Z and `fg`: readline has paused its input, and shows its own prompt again.
  reader.on("SIGCONT", () => {
    reader.resume();
    if (hidden) screen.write(prompt);
  });
  if (hidden) screen.write(prompt);
  let rest = "";
  const onKey = (text = ""): void => (text === "\x03" ? interrupt() : void (rest += text));
  reader.question(hidden ? "" : prompt, (line) => {
    resolve(line);
    input.on("keypress", onKey);
    // Before readline shows the rest of a paste.
    reader.close();
  });
  reader.write(typed);
  try {
    const line = await promise;
    input.setRawMode(true).resume();
    await sleep(pasteMs);
    input.setRawMode(false).pause();
    const isOneLine = !keepsPaste || rest.trim() === "";
    return isOneLine ? line : `${line}\n${rest.trim()}`.replaceAll(/\s*[\r\n]\s*/g, "\n");
  } catch (error) {
    if (!hidden) screen.write("\n");
    throw error;
  } finally {
    input.off("keypress", onKey);
    if (hidden) screen.write("\n");
  }
}
