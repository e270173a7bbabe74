import { isAscii } from "node:buffer";
import { chardet } from "jschardet";
import type { Reading } from "../types.ts";
import { ifDecodable } from "./text.ts";

/**
 * Returns what the bytes of a text that is not UTF-8 may be, the most likely first, at most four; none where no label
 * fits, as for old DOS text: a wrong one would make wrong names.
 */
export function readingsOf(chunks: Iterable<Uint8Array>): readonly Reading[] {
  const bytes = windowOf(chunks);
  const words = wordsOf(bytes);
  // A UTF-8 file with some damaged bytes is still UTF-8 for the most part.
  const damaged = words.filter((word) => decoded(word, "utf-8") === undefined);
  if (damaged.length * 2 <= words.length) return [];
  const [best, ...others] = candidatesOf(bytes, words);
  if (best?.label === undefined) return [];
  const near = best.score * nearness(bytes);
  const labels = [best, ...others.filter(({ score }) => score >= near)]
    .flatMap(({ label }) => label ?? [])
    .slice(0, 4);
  return readingsAt(words, labels);
}

/** How many bytes are looked at: those before the first one beyond ASCII, and those from it on. */
const before = 64;
const after = 32 * 1024;

const isBeyondAscii = (byte: number): boolean => byte > 0x7f;

/** Returns the bytes around the first one beyond ASCII. No character is cut. */
function windowOf(chunks: Iterable<Uint8Array>): Buffer {
  let bytes = Buffer.alloc(0);
  for (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    if (isAscii(bytes)) bytes = bytes.subarray(-before);
    else if (bytes.length >= bytes.findIndex(isBeyondAscii) + after) break;
  }
  const first = bytes.findIndex(isBeyondAscii);
  if (bytes.length < first + after) return bytes;
  const window = bytes.subarray(0, first + after);
  // Below the digits, no byte is part of a longer character in any encoding.
  return window.subarray(0, window.findLastIndex((byte) => byte < 0x30) + 1);
}

/**
 * Returns the words with bytes beyond ASCII, of at least two letters where there are such: a lone `€` or dash tells
 * little. Digits and the signs from `[` on may be in a longer character.
 */
function wordsOf(bytes: Buffer): readonly Buffer[] {
  const runs = bytes.toString("latin1").match(/[^\0-/:-@]+/g) ?? [];
  const all = runs.filter((word) => /[\x80-\xff]/.test(word));
  const long = all.filter((word) => /(?:[A-Za-z\x80-\xff].*){2}/.test(word));
  return (long.length > 0 ? long : all).map((word) => Buffer.from(word, "latin1"));
}

/** Encodings that the detector and TextDecoder know by one name. */
const named =
  "cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u cp866 iso8859-2 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-13 iso8859-15";

/** Encodings by the detector's names → labels. Of two that give the same text, the first one's label is offered. */
const labels: Readonly<Record<string, string>> = {
  cp1252: "latin1",
  ...Object.fromEntries(named.split(" ").map((name) => [name, new TextDecoder(name).encoding])),
  cp874: "windows-874",
  gb18030: "gbk",
  big5hkscs: "big5",
  cp949: "euc-kr",
  cp932: "shift_jis",
  euc_jis_2004: "euc-jp",
  "mac-roman": "macintosh",
  "mac-cyrillic": "x-mac-cyrillic",
};

/** Those of DOS that TextDecoder does not know: what their bytes from 0x80 on are. */
const dosPages: Readonly<Record<string, string>> = {
  cp437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  cp737:
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0",
  cp775:
    "ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0",
  cp850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  cp852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  cp857:
    "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0",
};

const encodings = [...Object.keys(labels), ...Object.keys(dosPages)];

/** How much likelier an encoding is before its bytes are seen. */
const weights: Readonly<Record<string, number>> = {
  latin1: 1.4,
  macintosh: 0.99,
  "x-mac-cyrillic": 0.99,
};

/** Returns the encodings in which the bytes are a plausible text, the likeliest first; one for each text, those of DOS without a label. */
function candidatesOf(bytes: Buffer, words: readonly Buffer[]) {
  const confidences = confidencesOf(words);
  const candidates = new Map<string, { label: string | undefined; score: number }>();
  for (const name of encodings) {
    const label = labels[name];
    const text = textIn(name, bytes);
    if (text === undefined || hasControls.test(text)) continue;
    const share = plausibleShare(text);
    if (share < 0.75) continue;
    const hasCapitals = isInCapitals(text);
    const confidence = hasCapitals
      ? confidencesOf(inSmallLetters(words, name), [name]).get(name)
      : confidences.get(name);
    if (confidence === undefined) continue;
    const other = candidates.get(text);
    const weight = (weights[label ?? ""] ?? 1) * (hasCapitals ? 0.6 : 1);
    const score = confidence * share ** 4 * weight;
    candidates.set(text, {
      label: other?.label ?? label,
      score: Math.max(score, other?.score ?? 0),
    });
  }
  return [...candidates.values()].sort((one, other) => other.score - one.score);
}

/** Returns the text of the bytes in an encoding, if they are one. */
function textIn(name: string, bytes: Uint8Array): string | undefined {
  const high = dosPages[name];
  if (high === undefined) return decoded(bytes, labels[name] ?? name);
  const text = Buffer.from(bytes).toString("latin1");
  return text.replaceAll(/[\x80-\xff]/g, (character) => high[character.charCodeAt(0) - 0x80] ?? "");
}

/** Returns whether the letters beyond ASCII are capitals, which the detector knows least. */
function isInCapitals(text: string): boolean {
  const words = wordsBeyondAscii(text).join(" ");
  return /[\p{Lu}--\p{ASCII}]/v.test(words) && !/\p{Ll}/u.test(words);
}

/** Returns the words with small letters in place of capitals, in an encoding of one byte a letter. */
function inSmallLetters(words: readonly Buffer[], name: string): readonly Buffer[] {
  const letters = Array.from({ length: 256 }, (_, byte) => textIn(name, Buffer.of(byte)));
  const bytes = new Map(letters.map((letter, byte) => [letter, byte]));
  const small = letters.map((letter, byte) => bytes.get(letter?.toLowerCase()) ?? byte);
  return words.map((word) => Buffer.from(word.map((byte) => small[byte] ?? byte)));
}

/** Returns how sure the detector is of each encoding, by the words beyond ASCII: the others tell nothing. */
function confidencesOf(
  words: readonly Buffer[],
  among: readonly string[] = encodings,
): ReadonlyMap<string, number> {
  // In more than 15 bytes beyond ASCII it wants several first bytes of characters: Japanese names have few.
  let size = 0;
  const short = words.filter((word) => (size += word.length) <= 15);
  return new Map([...detected(short, among), ...detected(words, among)]);
}

function detected(
  words: readonly Buffer[],
  among: readonly string[],
): readonly (readonly [string, number])[] {
  // A word at the very start could be taken for the mark of an image or of a sound.
  const lines = Buffer.concat([lineEnd, ...words.flatMap((word) => [word, lineEnd])]);
  const found = chardet.detectAll(lines, {
    includeEncodings: [...among, "utf-8"],
    // It would name one, at random, where none matches.
    noMatchEncoding: "utf-8",
    compatNames: false,
    ignoreThreshold: true,
  });
  return found.map(({ encoding, confidence }) => [encoding ?? "", confidence]);
}

const lineEnd = Buffer.from("\n");

/** Returns from which part of the best score on another encoding is offered: few bytes hardly tell them apart. */
function nearness(bytes: Buffer): number {
  const count = bytes.reduce((sum, byte) => sum + (isBeyondAscii(byte) ? 1 : 0), 0);
  return 0.05 + 0.85 * Math.min(1, count / 100);
}

const decoded = (bytes: Uint8Array, label: string): string | undefined =>
  ifDecodable(() => new TextDecoder(label, { fatal: true }).decode(bytes));

/** Control characters, and those that Unicode does not define. */
const hasControls = /[^\P{C}\p{Cf}\t\r\n]|\ufffd/u;

const wordsBeyondAscii = (text: string): readonly string[] =>
  (text.match(/(?:[A-Za-z']|[^\p{ASCII}\p{Z}])+/gu) ?? []).filter((word) =>
    /\P{ASCII}/u.test(word),
  );

/** The scripts of a text: a word is of one, and all words of a text that are not ASCII are of the same. */
const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Bopomofo}/u,
  /(?![\uff61-\uff9f])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /[\uff61-\uff9f]/u,
];

/** What a word hardly has in any language. */
const implausible = [
  // Latin letters without a plain one among them.
  /^(?=.*\p{Script=Latin})[^A-Za-z]{2,}$/u,
  // A mark on nothing.
  /(?:^|[^\p{L}\p{M}])\p{M}/u,
  // A capital beside small letters that is not the first.
  /\p{Ll}[\p{Lu}--\p{ASCII}]|[\p{Ll}--\p{ASCII}]\p{Lu}|\p{Lu}[\p{Lu}--\p{ASCII}]\p{Ll}/v,
  // Signs between letters, or beside them.
  /[\p{L}\p{M}][^\p{L}\p{M}\p{ASCII}’´·\u05f3\u05f4\p{Cf}\u3000-\u30ff\uff00-\uff65]+[\p{L}\p{M}]/u,
  /(?<!\p{L})´|(?<![lL])(?<=\p{Script=Latin})·/u,
  /[[\p{S}\p{N}\p{Pd}¶§ˆˇ]--[\p{ASCII}´]]\p{L}|\p{L}[[\p{S}\p{N}¶§ˆˇ‚„]--[\p{ASCII}™®©´]]/v,
  /[\p{S}--[\p{ASCII}™®©°€£´]]/v,
];

/** Returns how many of the words beyond ASCII are plausible ones of the one script that most of them have. */
function plausibleShare(text: string): number {
  const all = wordsBeyondAscii(text);
  // A letter alone is rather a sign, such as a euro sign, in another encoding.
  const words = all.filter((word) => /[\p{L}\p{M}]/u.test(word) && !/^\p{LC}$/u.test(word));
  if (words.length === 0) return all.some((word) => /\p{L}/u.test(word)) ? 0 : 1;
  const plausible = words.filter((word) => !implausible.some((pattern) => pattern.test(word)));
  const scriptsOf = (word: string) => scripts.filter((script) => script.test(word));
  const alone = plausible.map(scriptsOf).filter((found) => found.length === 1);
  const counts = scripts.map((script) => alone.filter(([only]) => only === script).length);
  return Math.max(...counts) / words.length;
}

/** Returns the readings with the same word of the text, the first that has a letter and differs in all of them. */
function readingsAt(words: readonly Buffer[], offered: readonly string[]): readonly Reading[] {
  const all = words.map((word) => offered.map((label) => decoded(word, label) ?? ""));
  const texts = all.filter((found) => found.some((text) => /[\p{L}--\p{ASCII}]/v.test(text)));
  const differing = (count: number) => texts.find((found) => new Set(found).size >= count);
  const shown = differing(offered.length) ?? differing(2) ?? texts[0] ?? all[0] ?? [];
  return offered.map((label, index) => ({
    label,
    word: Array.from((shown[index] ?? "").normalize("NFC"))
      .slice(0, 30)
      .join(""),
  }));
}
