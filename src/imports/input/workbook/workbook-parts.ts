import { crc32, inflateRawSync } from "node:zlib";

/** Says why a file cannot be read as a workbook, without its name. */
export class WorkbookFault extends Error {}

/** The bytes that a workbook may have, and the files in it together, unpacked. */
export const maxBytes = 100 * 1024 * 1024;

const saveAs = "save it as .xlsx or CSV UTF-8";
const notWorkbook = `is not an Excel workbook; ${saveAs}`;
const damaged = `is a damaged workbook; open it in a spreadsheet program and ${saveAs}`;

export const damagedFault = (): WorkbookFault => new WorkbookFault(damaged);

export const tooLargeFault = (): WorkbookFault =>
  new WorkbookFault(
    "is larger than 100 MB unpacked; save the sheet with the animals as CSV UTF-8, or split it",
  );

/** The files with its sheets and what these refer to; not what a pivot table or a chart keeps. */
const readParts = /^xl\/(?:worksheets\/|_rels\/)?[^/]+\.xml(?:\.rels)?$/;

/** Returns the XML files of a workbook, by name. Throws a WorkbookFault, and unpacks no more than 100 MB. */
export function unpackParts(bytes: Buffer): Map<string, Buffer> {
  const start = bytes.toString("latin1", 0, 4);
  if (start === "\xd0\xcf\x11\xe0") throw new WorkbookFault(oldKind(bytes));
  if (!/^PK(?:\x03\x04|\x05\x06)$/.test(start)) throw new WorkbookFault(notWorkbook);
  if (bytes.length > maxBytes) throw tooLargeFault();
  const entries = readDirectory(bytes);
  const names = new Set(entries.map(({ name }) => name));
  if (!names.has("xl/workbook.xml")) throw new WorkbookFault(otherKind(names));
  const wanted = entries.filter(({ name }) => readParts.test(name));
  const total = (key: "size" | "packed"): number =>
    wanted.reduce((sum, entry) => sum + entry[key], 0);
  if (total("size") > maxBytes) throw tooLargeFault();
  // Files that overlap would unpack the same bytes again and again.
  if (total("packed") > bytes.length) throw damagedFault();
  return new Map(wanted.map((entry) => [entry.name, unpack(bytes, entry)]));
}

/** Returns what a compound file is (MS-CFB), such as .xls; an encrypted .xlsx is one too (MS-OFFCRYPTO 1.3.3). */
function oldKind(bytes: Buffer): string {
  return bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))
    ? `is an encrypted workbook; remove its password, then ${saveAs}`
    : `is an old Excel workbook (.xls); ${saveAs}`;
}

function otherKind(names: ReadonlySet<string>): string {
  if (names.has("mimetype")) return `is an OpenDocument file; ${saveAs}`;
  if (names.has("xl/workbook.bin")) return `is a binary workbook (.xlsb); ${saveAs}`;
  return `is a ZIP archive, but not an Excel workbook; ${saveAs}`;
}

/** A file in a ZIP archive, and where it begins. */
type Entry = ReturnType<typeof readDirectory>[number];

/** Returns the central directory of a ZIP archive (APPNOTE.TXT 4.3.12, 4.3.16); no archive over 4 GB. */
function readDirectory(bytes: Buffer) {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 22 > bytes.length) throw damagedFault();
  const entries = [];
  let place = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (place + 46 > end || bytes.readUInt32LE(place) !== 0x02014b50) throw damagedFault();
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((at) =>
      bytes.readUInt16LE(place + at),
    );
    entries.push({
      name: bytes.toString("utf8", place + 46, place + 46 + name),
      method: bytes.readUInt16LE(place + 10),
      crc: bytes.readUInt32LE(place + 16),
      packed: bytes.readUInt32LE(place + 20),
      size: bytes.readUInt32LE(place + 24),
      offset: bytes.readUInt32LE(place + 42),
    });
    place += 46 + name + extra + comment;
  }
  return entries;
}

/** Returns the content of a file, which must be as the directory says. */
function unpack(bytes: Buffer, { method, crc, packed, size, offset }: Entry): Buffer {
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== 0x04034b50) throw damagedFault();
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const data = bytes.subarray(start, start + packed);
  if (method !== 0 && method !== 8) throw damagedFault();
  let content = data;
  try {
    if (method === 8) content = inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damagedFault();
  }
  if (content.length !== size || crc32(content) !== crc) throw damagedFault();
  return content;
}
