import { fstatSync } from "node:fs";
import { usageFailure } from "../core/errors.ts";
import type { Input } from "./io.ts";
import { isTerminal } from "./output.ts";

/** What a prompt needs: the streams, and what Ctrl-C does during it. */
export interface Terminal {
  readonly stdin: () => NodeJS.ReadStream;
  readonly stderr: () => NodeJS.WriteStream;
  readonly interrupt: () => void;
  readonly isatty: (fd: number) => boolean;
}

/** What was typed after the answer to a prompt, for the next one: lines, and the beginning of one that has no end yet. */
interface PendingInput {
  readonly lines: string[];
  rest: string;
}

/** Returns standard input. Node's stream for it is only made when something is read. */
export function inputFrom(fd: number, terminal: Terminal): Input {
  const ahead: PendingInput = { lines: [], rest: "" };
  return {
    get isTTY() {
      return isTerminal(fd, terminal.isatty);
    },
    [Symbol.asyncIterator]: () => read(fd, terminal),
    ask: async (prompt, options) => {
      const line = ahead.lines.shift();
      if (line === undefined) return ask(terminal, ahead, prompt, options);
      terminal.stderr().write(`${prompt}${options.hidden ? "" : line}\n`);
      return line;
    },
  };
}

/** Reads standard input. Throws if it is a directory, from which Node would read nothing. */
async function* read(fd: number, { stdin }: Terminal): AsyncGenerator<Uint8Array> {
  if (fstatSync(fd).isDirectory()) throw new Error("it is a directory");
  yield* stdin();
}

async function ask(
  { stdin, stderr, interrupt }: Terminal,
  ahead: PendingInput,
  prompt: string,
  { hidden, signal }: Parameters<Input["ask"]>[1],
): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const screen = stderr();
  const { Writable } = await import("node:stream");
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = hidden ? discarded : screen;
  const reader = createInterface({ input: stdin(), output, terminal: true, historySize: 0 });
  const closed = new Promise<never>((_resolve, reject) => {
    const question = prompt.replace(/: *$/, "");
    reader.once("close", () => reject(usageFailure(`end of input at the prompt "${question}"`)));
  });
  // In raw mode Ctrl-C is a key press, not a signal.
  reader.on("SIGINT", interrupt);
  reader.on("line", (line) => ahead.lines.push(line));
  // After Ctrl-Z and `fg`: readline has paused its input, and shows its own prompt again.
  reader.on("SIGCONT", () => {
    reader.resume();
    if (hidden) screen.write(prompt);
  });
  try {
    if (hidden) screen.write(prompt);
    const answer = reader.question(hidden ? "" : prompt, { signal });
    if (ahead.rest !== "") reader.write(ahead.rest);
    return await Promise.race([answer, closed]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!hidden) screen.write("\n");
    throw error;
  } finally {
    ahead.rest = reader.line;
    reader.close();
    if (hidden) screen.write("\n");
  }
}
