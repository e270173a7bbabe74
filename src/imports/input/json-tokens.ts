import {
  endParser,
  endVerifier,
  jsonParser,
  jsonVerifier,
  none,
  type Token,
} from "../../vendor/stream-json.ts";

/** What is wrong with a JSON text, and where; lines and columns from 1. */
export interface JsonFault {
  readonly what: string;
  readonly line: number;
  readonly column: number;
}

/** The tokens that end in a part of the text, up to its first fault. */
export interface TokenBatch {
  readonly tokens: readonly Token[];
  readonly fault: JsonFault | undefined;
}

/**
 * Splits a JSON text that comes in parts into tokens. Strings and numbers come in chunks, so memory
 * does not grow with their length.
 */
export class JsonTokens {
  // When the parser throws, it drops the tokens of that part. So the verifier finds the fault first, and
  // the parser reads only up to it.
  readonly #verify = jsonVerifier();
  readonly #parse = jsonParser({ packValues: false });
  #length = 0;
  #heldBack = "";
  #endsBlank = false;

  /** Reads the next part of the text; none may follow a fault. */
  push(part: string): TokenBatch {
    const text = this.#heldBack + part;
    this.#heldBack = ambiguousTail.exec(text.slice(-maxAmbiguous))?.[0] ?? "";
    return this.#read(text.slice(0, text.length - this.#heldBack.length));
  }

  /** Reads the end of the text: returns the last tokens, or the fault of a text that ends too early. */
  end(): TokenBatch {
    const last = this.#read(this.#heldBack);
    if (last.fault !== undefined) return last;
    const { tokens } = last;
    const fault = faultOf(() => endVerifier(this.#verify));
    if (fault === undefined)
      return { tokens: [...tokens, ...tokensIn(endParser(this.#parse))], fault };
    const isTruncated = fault.offset >= this.#length;
    return {
      tokens: [...tokens, ...this.#flushNumber()],
      fault: isTruncated ? { ...fault, what: "the text ends" } : fault,
    };
  }

  #read(text: string): TokenBatch {
    const start = this.#length;
    const fault = faultOf(() => this.#verify(text));
    const good = fault === undefined ? text : text.slice(0, Math.max(0, fault.offset - start));
    this.#length += text.length;
    if (good !== "") this.#endsBlank = /[ \t\r\n]$/.test(good);
    const tokens = tokensIn(this.#parse(good));
    return { tokens: fault === undefined ? tokens : [...tokens, ...this.#flushNumber()], fault };
  }

  /** The parser ends a number at a following blank, but not if the part ends with that blank. */
  #flushNumber(): readonly Token[] {
    if (!this.#endsBlank) return [];
    try {
      return tokensIn(this.#parse(","));
    } catch {
      return [];
    }
  }
}

/**
 * Held back until the next part, so that the verifier reports the same for any split: a CR, which an
 * LF may follow, and a word such as `true`, which may continue.
 */
const ambiguousTail = /\r$|(?<![a-z])[a-z]{1,5}$/;
const maxAmbiguous = 6;

const badCharacters = "a control character or an invalid escape in a string";

function tokensIn(made: ReturnType<ReturnType<typeof jsonParser>>): readonly Token[] {
  return made === none ? [] : made.values;
}

function faultOf(step: () => unknown): (JsonFault & { readonly offset: number }) | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    const { message, line, pos, offset } = Object(error);
    const said = String(message).replace(/^.*?(?:cannot parse input: |has )/, "");
    return {
      what: said === "escaped characters" ? badCharacters : said,
      line: Number(line),
      column: Number(pos),
      offset: Number(offset),
    };
  }
}
