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

/** What was made of a part of the text: the tokens that end in it, up to where it is no JSON. */
export interface TokenBatch {
  readonly tokens: readonly Token[];
  readonly fault: JsonFault | undefined;
}

/**
 * Makes tokens of a JSON text that comes in parts. Texts and numbers come as they are written, in
 * chunks, so that memory does not grow with them.
 */
export class JsonTokens {
  // The parser keeps to itself what it read of a part that it throws in. The verifier tells where
  // that is before.
  readonly #verify = jsonVerifier();
  readonly #parse = jsonParser({ packValues: false });
  #length = 0;
  #heldBack = "";
  #endsBlank = false;

  /** The next part of the text; none may follow a fault. */
  push(part: string): TokenBatch {
    const text = this.#heldBack + part;
    this.#heldBack = ambiguousTail.exec(text.slice(-longestUnclear))?.[0] ?? "";
    return this.#read(text.slice(0, text.length - this.#heldBack.length));
  }

  /** The tokens that the end of the text ends, or what is wrong when it ends here. */
  end(): TokenBatch {
    const last = this.#read(this.#heldBack);
    if (last.fault !== undefined) return last;
    const { tokens } = last;
    const fault = faultOf(() => endVerifier(this.#verify));
    if (fault === undefined)
      return { tokens: [...tokens, ...tokensIn(endParser(this.#parse))], fault };
    const isCut = fault.offset >= this.#length;
    return {
      tokens: [...tokens, ...this.#flushNumber()],
      fault: isCut ? { ...fault, what: "the text ends" } : fault,
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

  /** Of a number that blanks follow the parser tells at once where they stand in the same part, else later. */
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
 * What the end of a part may not be cut from, for the verifier to say the same of any parts: a CR, which
 * an LF may follow, and a word such as `true`, which may go on.
 */
const ambiguousTail = /\r$|(?<![a-z])[a-z]{1,5}$/;
const longestUnclear = 6;

const badCharacters = "a control character or a wrong escape within a text";

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
