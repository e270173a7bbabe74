/** A CommonJS module as the function that start/loader runs. Throws where the text is not ASCII. */
export function moduleFunction(name: string, text: string): string {
  const other = /[^\0-\x7f]/.exec(text);
  if (other !== null) throw new Error(`${name} holds ${other[0]}, which is not ASCII: escape it`);
  return `(function(exports,require,module,__filename,__dirname){${text}\n})`;
}
