import { none } from "stream-chain/core";
import type { jsonParser } from "stream-json/core/parser.js";
import { jsonVerifier } from "stream-json/core/utils/verifier.js";

export { none } from "stream-chain/core";
export { jsonParser, type Token } from "stream-json/core/parser.js";
export { jsonVerifier } from "stream-json/core/utils/verifier.js";

/** Signals the end of the text to a verifier; the library's types leave this call out. */
export function endVerifier(verify: ReturnType<typeof jsonVerifier>): void {
  Reflect.apply(verify, undefined, [none]);
}

/** Signals the end of the text to a parser, and returns the tokens that it had held back. */
export function endParser(parse: ReturnType<typeof jsonParser>): ReturnType<typeof parse> {
  return Reflect.apply(parse, undefined, [none]);
}
