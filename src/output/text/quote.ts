/** `text` as one word of bash or zsh, whatever stands in it but NUL. */
export function quoteForPosix(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `text` as one word of fish: between single quotes, a backslash counts before a quote or another. */
export function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** `text` as a PowerShell string: it takes curly single quotes for straight ones. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}
