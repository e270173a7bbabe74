import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { usageFailure } from "../errors.ts";
import type { Input } from "../io.ts";

/** The streams that a question needs, and what Ctrl-C means while it is asked. */
export interface Terminal {
  readonly stdin: () => NodeJS.ReadStream;
  readonly stderr: () => NodeJS.WriteStream;
  readonly interrupt: () => void;
}

/** Standard input. Node's stream for it is only made when something is read. */
export function inputFrom(fd: number, terminal: Terminal): Input {
  return {
    isTTY: isatty(fd),
    [Symbol.asyncIterator]: () => terminal.stdin()[Symbol.asyncIterator](),
    ask: (prompt, options) => ask(terminal, prompt, options),
  };
}

async function ask(
  { stdin, stderr, interrupt }: Terminal,
  prompt: string,
  { hidden, signal }: Parameters<Input["ask"]>[1],
): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const screen = stderr();
  const output = hidden ? silent() : screen;
  const reader = createInterface({ input: stdin(), output, terminal: true, historySize: 0 });
  const closed = new Promise<never>((_resolve, reject) => {
    reader.once("close", () => reject(usageFailure("the question got no answer")));
  });
  // In raw mode Ctrl-C is a key, and no signal.
  reader.on("SIGINT", interrupt);
  try {
    if (hidden) screen.write(prompt);
    return await Promise.race([reader.question(hidden ? "" : prompt, { signal }), closed]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    reader.close();
    if (hidden) screen.write("\n");
  }
}

/** Takes what a line editor would show, and shows nothing. */
function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
