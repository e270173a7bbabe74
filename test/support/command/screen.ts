import xterm, { type Terminal } from "@xterm/headless";

// CommonJS, unlike the types of this package say.
const { default: unicode11 } = await import("@xterm/addon-unicode11");

/** Opens a terminal that keeps what is scrolled out at its top. */
export function openTerminal(cols: number, rows: number): Terminal {
  const terminal = new xterm.Terminal({
    cols,
    rows,
    scrollback: 10_000,
    convertEol: true,
    allowProposedApi: true,
  });
  // Without it an emoji takes one column.
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  return terminal;
}

/** Returns what a terminal shows after `text` was written to it: its lines, without empty ones at the end. */
export async function screenLines(text: string, columns = 80): Promise<string[]> {
  const terminal = openTerminal(columns, 100);
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_line, y) =>
    (active.getLine(y)?.translateToString() ?? "").trimEnd(),
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
