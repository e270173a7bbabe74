/** `text` where it has at most `length` UTF-16 units, else its beginning, ended by `…`. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
