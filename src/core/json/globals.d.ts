/** JSON.parse source text access (ECMAScript 2026), which Node has and the library types lack. */
interface JSON {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
