import { none } from "stream-chain/core";
import { jsonVerifier } from "stream-json/core/utils/verifier.js";

export { none } from "stream-chain/core";
export { jsonParser, type Token } from "stream-json/core/parser.js";
export { jsonVerifier } from "stream-json/core/utils/verifier.js";

/** Tells a verifier of the end of the text, which the library's types leave out. */
export function endVerifier(verify: ReturnType<typeof jsonVerifier>): void {
  Reflect.apply(verify, undefined, [none]);
}
