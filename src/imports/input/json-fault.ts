const blanks = /[ \t\r\n]*/y;
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Returns where a text stops being JSON (RFC 8259), which is its length if it only ends too early. To be
 * used when it could not be parsed: no error of `JSON.parse` tells the place but in its message.
 */
export function jsonFaultAt(text: string): number {
  const closing: string[] = [];
  let at = 0;
  /** What may come next; `first` also allows the end of an empty array or object. */
  let next: "value" | "key" | "first" | "colon" | "end" = "value";
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isMatch = pattern.test(text);
    if (isMatch) at = pattern.lastIndex;
    return isMatch;
  };
  for (;;) {
    take(blanks);
    const char = text[at];
    if (char === undefined) return at;
    const isObject = closing.at(-1) === "}";
    if ((next === "end" || next === "first") && char === closing.at(-1)) {
      closing.pop();
      at += 1;
      next = "end";
    } else if (next === "end" && char === "," && closing.length > 0) {
      at += 1;
      next = isObject ? "key" : "value";
    } else if (next === "colon" && char === ":") {
      at += 1;
      next = "value";
    } else if (next === "end" || next === "colon") return at;
    else if (char === '"') {
      take(string);
      if (text[at] !== '"') return at;
      at += 1;
      next = next !== "value" && isObject ? "colon" : "end";
    } else if (next !== "value" && isObject) return at;
    else if (char === "{" || char === "[") {
      closing.push(char === "{" ? "}" : "]");
      at += 1;
      next = "first";
    } else if (take(scalar)) next = "end";
    else return at;
  }
}
