/** What V8 compiled of several files: the file's name → bytes that only V8 reads. */
export type CompiledCode = ReadonlyMap<string, Uint8Array>;

/** Compiled code, as it stands in one file. */
export interface CodePack {
  readonly code: CompiledCode;
  /** How many runs that ended well have added what they compiled. */
  readonly runs: number;
}

interface Header {
  readonly runs: number;
  readonly files: readonly (readonly [name: string, size: number])[];
}

const lengthBytes = 4;

/**
 * `pack` in bytes, which stand there twice: V8 runs what it is given, however damaged, and to compare
 * two copies takes less time than any sum. One is the length of a header in 4 bytes, little-endian,
 * the header in JSON, and the code of each file.
 */
export function encodePack({ code, runs }: CodePack): Uint8Array {
  const files = [...code].map(([name, bytes]) => [name, bytes.length] as const);
  const header = Buffer.from(JSON.stringify({ runs, files } satisfies Header));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(header.length);
  const copy = [length, header, ...code.values()];
  return Buffer.concat([...copy, ...copy]);
}

/** The pack that `encodePack` made `bytes` of; undefined where it did not, or where any has changed. */
export function decodePack(bytes: Uint8Array | undefined): CodePack | undefined {
  if (bytes === undefined) return undefined;
  try {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const buffer = all.subarray(0, all.length / 2);
    if (!buffer.equals(all.subarray(all.length / 2))) return undefined;
    let start = lengthBytes + buffer.readUInt32LE();
    const { runs, files }: Header = JSON.parse(buffer.toString("latin1", lengthBytes, start));
    const code = new Map<string, Uint8Array>();
    for (const [name, size] of files) {
      code.set(name, buffer.subarray(start, start + size));
      start += size;
    }
    return start === buffer.length ? { code, runs } : undefined;
  } catch {
    return undefined;
  }
}
