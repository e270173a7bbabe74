// What must not reach a terminal, besides what JSON escapes: DEL, C1 and bidirectional controls (`help output`).
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns `value` as JSON, indented by `indent` spaces: bigints and -0 as numbers, control characters as `\u` escapes. */
export function stringifyExact(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, asNumber, indent);
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}

function asNumber(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return JSON.rawJSON(value.toString());
  return Object.is(value, -0) ? JSON.rawJSON("-0") : value;
}
