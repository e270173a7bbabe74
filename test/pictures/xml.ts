/** An element of an XML document, or its text. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

const name = "[A-Za-z][\\w:-]*";
const opening = new RegExp(`<(${name})((?:\\s+${name}="[^"<]*")*)\\s*(/?)>`, "y");
const closing = new RegExp(`</(${name})>`, "y");
const text = /[^<]+/y;
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
// XML 1.0, section 2.2.
const notAllowed = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Returns the root element of a document. Throws if it is not well-formed, or has more than pictures need. */
export function parseXml(source: string): XmlElement {
  if (notAllowed.test(source)) throw new Error("a character that XML does not allow");
  const open: { name: string; attributes: Record<string, string>; children: unknown[] }[] = [
    { name: "", attributes: {}, children: [] },
  ];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < source.length) {
    const parent = open.at(-1);
    const start = take(opening);
    if (start) {
      const element = { name: start[1] ?? "", attributes: attributesOf(start[2]), children: [] };
      parent?.children.push(element);
      if (start[3] === "") open.push(element);
      continue;
    }
    const end = take(closing);
    if (end && (open.length === 1 || open.pop()?.name !== end[1])) throwAt(source, at, "an end");
    if (end) continue;
    const words = take(text);
    if (!words) throwAt(source, at, "markup");
    parent?.children.push(unescape(words?.[0] ?? ""));
  }
  const [document, unclosed] = open;
  const roots = document?.children.filter((child) => typeof child !== "string" || /\S/.test(child));
  if (unclosed !== undefined || roots?.length !== 1) throwAt(source, at, "not one root");
  return roots?.[0] as XmlElement;
}

function throwAt(source: string, at: number, what: string): never {
  throw new Error(`${what} at ${JSON.stringify(source.slice(Math.max(0, at - 40), at + 40))}`);
}

function attributesOf(markup = ""): Record<string, string> {
  const found = [...markup.matchAll(/([\w:-]+)="([^"]*)"/g)];
  const names = new Set(found.map(([, key]) => key));
  if (names.size !== found.length) throw new Error(`an attribute is there twice: ${markup}`);
  return Object.fromEntries(found.map(([, key, value = ""]) => [key, unescape(value)]));
}

function unescape(markup: string): string {
  return markup.replace(/&(?:#(\d+);|(\w+);)?/g, (whole, code?: string, word?: string) => {
    const sign = code === undefined ? entities[word ?? ""] : String.fromCodePoint(Number(code));
    if (sign === undefined) throw new Error(`an unknown entity: ${whole}`);
    return sign;
  });
}

/** Returns all elements of this name below `element`, in document order. */
export function elementsOf(element: XmlElement, wanted: string): readonly XmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === "string") return [];
    return [...(child.name === wanted ? [child] : []), ...elementsOf(child, wanted)];
  });
}

/** Returns all text below `element`. */
export const contentOf = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === "string" ? child : contentOf(child))).join("");
