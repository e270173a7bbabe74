import { none } from "stream-chain/core";
import type { jsonParser } from "stream-json/core/parser.js";
import { jsonVerifier } from "stream-json/core/utils/verifier.js";

export { none } from "stream-chain/core";
export { jsonParser, type Token } from "stream-json/core/parser.js";
export { jsonVerifier } from "stream-json/core/utils/verifier.js";

/** Tells a verifier of the end of the text, which the library's types leave out. */
export function endVerifier(verify: ReturnType<typeof jsonVerifier>): void {
  Reflect.apply(verify, undefined, [none]);
}

/** Tells a parser of the end of the text, and has the tokens that it kept back until then. */
export function endParser(parse: ReturnType<typeof jsonParser>): ReturnType<typeof parse> {
  return Reflect.apply(parse, undefined, [none]);
}
