/** What the bytes from 0x80 are in DOS code pages, which TextDecoder does not know. */
const dosCharacters: Readonly<Record<string, string>> = {
  cp437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■",
  cp850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´­±‗¾¶§÷¸°¨·¹³²■",
  cp852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´­˝˛ˇ˘§÷¸°¨˙űŘř■",
};

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Returns the bytes of `text` in an encoding that TextDecoder knows, or in cp437, cp850 or cp852. */
export function encode(text: string, label: string): Buffer {
  const table = tables.get(label) ?? tableOf(label);
  tables.set(label, table);
  const bytesOf = (character: string): readonly number[] => {
    const bytes = table.get(character);
    if (bytes !== undefined) return bytes;
    // In windows-1258, tones are characters of their own.
    const parts = character.normalize("NFD");
    const letter = parts.replace(tones, "").normalize("NFC");
    const rest = [...(tones.exec(parts) ?? [])];
    if (letter === character) throw new Error(`${label} has no ${character}`);
    return [letter, ...rest].flatMap((part) => bytesOf(part));
  };
  return Buffer.from(Array.from(text, bytesOf).flat());
}

const tones = /[\u0300\u0301\u0303\u0309\u0323]/;

const span = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

function tableOf(label: string): ReadonlyMap<string, readonly number[]> {
  const table = new Map(
    span(0, 0x7f).map((byte): [string, number[]] => [String.fromCharCode(byte), [byte]]),
  );
  const dos = dosCharacters[label];
  for (const [index, character] of Array.from(dos ?? "").entries())
    table.set(character, [0x80 + index]);
  if (dos !== undefined) return table;
  const decoder = new TextDecoder(label, { fatal: true });
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (Array.from(text).length === 1 && !table.has(text)) table.set(text, bytes);
    } catch {
      // These bytes are no character.
    }
  };
  for (const byte of span(0x80, 0xff)) add(byte);
  if (!/^(?:gb|big5|euc|shift)/.test(label)) return table;
  for (const first of span(0x81, 0xfe)) for (const second of span(0x40, 0xfe)) add(first, second);
  if (label !== "gb18030") return table;
  for (const first of [0x81, 0x82])
    for (const second of span(0x30, 0x39))
      for (const third of span(0x81, 0xfe))
        for (const fourth of span(0x30, 0x39)) add(first, second, third, fourth);
  return table;
}
