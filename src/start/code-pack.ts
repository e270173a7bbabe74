/** What V8 compiled of several files: the file's name → bytes that only V8 reads. */
export type CompiledCode = ReadonlyMap<string, Uint8Array>;

/** Compiled code, as it stands in one file. */
export interface CodePack {
  readonly code: CompiledCode;
  /** How many runs that ended well have added what they compiled. */
  readonly runs: number;
}

interface Header {
  readonly at: number;
  readonly runs: number;
  readonly files: readonly (readonly [name: string, size: number])[];
}

const lengthBytes = 4;

/**
 * `pack` in bytes: the length of a header in 4 bytes, little-endian; the header in JSON; the code of
 * each file; the length once more. `at` is the time, in seconds since the epoch, that the file with
 * them will bear.
 */
export function encodePack({ code, runs }: CodePack, at: number): Uint8Array {
  const files = [...code].map(([name, bytes]) => [name, bytes.length] as const);
  const header = Buffer.from(JSON.stringify({ at, runs, files } satisfies Header));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, ...code.values(), length]);
}

/**
 * The pack that `encodePack` made `bytes` of. Undefined where it did not, where some are missing, or
 * end in zeros, as after a power cut, and where the file bears another time: V8 runs what it is given,
 * however damaged, and to look at every byte would take longer than to compile.
 */
export function decodePack(bytes: Buffer, at: number): CodePack | undefined {
  try {
    const length = bytes.readUInt32LE();
    const end = bytes.length - lengthBytes;
    let start = lengthBytes + length;
    const header: Header = JSON.parse(bytes.toString("latin1", lengthBytes, start));
    const code = new Map<string, Uint8Array>();
    for (const [name, size] of header.files) {
      code.set(name, bytes.subarray(start, start + size));
      start += size;
    }
    const isWhole = start === end && bytes.readUInt32LE(end) === length && header.at === at;
    return isWhole ? { code, runs: header.runs } : undefined;
  } catch {
    return undefined;
  }
}
