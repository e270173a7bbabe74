/** Returns a line of CSV (RFC 4180). What a reader would change or skip is quoted, outer blanks too. */
export function csvLine(cells: readonly string[], separator = ",", lineEnd = "\r\n"): string {
  // A single empty cell would be an empty line.
  if (cells.length === 1 && cells[0] === "") return `""${lineEnd}`;
  return cells.map((cell) => csvCell(cell, separator)).join(separator) + lineEnd;
}

function csvCell(text: string, separator: string): string {
  const isPlain = !text.includes(separator) && !/["\r\n]/.test(text) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
