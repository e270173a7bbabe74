import xterm from "@xterm/headless";

// CommonJS, unlike the types of this package say.
const { default: unicode11 } = await import("@xterm/addon-unicode11");

/** Returns what a terminal shows after `text` was written to it: its lines, without empty ones at the end. */
export async function screenLines(text: string, columns = 80): Promise<string[]> {
  const options = { cols: columns, rows: 100, scrollback: 10_000, convertEol: true };
  const terminal = new xterm.Terminal({ ...options, allowProposedApi: true });
  // Without it an emoji takes one column.
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_line, y) =>
    (active.getLine(y)?.translateToString() ?? "").trimEnd(),
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
