import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { orIoFailure } from "../../core/errors.ts";
import { ensurePrivateFile } from "../../platform/private-files.ts";

const { O_WRONLY, O_RDWR, O_TRUNC, O_APPEND, O_NONBLOCK } = constants;

/** A file that is opened before it is known what it will hold. */
interface OutputFile {
  /** Writes the text and closes the file. Throws an io Failure. */
  write(text: string): void;
}

/** Opens the file of `--report`, if there is one, empty and with mode 0600. Throws an io Failure. */
export function openReport(file: string | undefined): OutputFile | undefined {
  if (file === undefined) return undefined;
  return openOutput(`the report ${file}`, () => {
    ensurePrivateFile(file);
    // Otherwise opening a pipe without a reader would block.
    const fd = openSync(file, O_WRONLY | O_TRUNC | O_NONBLOCK);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  });
}

/** Opens the file of `--write-env`, if there is one, to append lines; a missing one gets mode 0600. Throws an io Failure. */
export function openEnvFile(file: string | undefined): OutputFile | undefined {
  if (file === undefined) return undefined;
  const open = (): number => {
    ensurePrivateFile(file);
    return openSync(file, O_RDWR | O_APPEND);
  };
  return openOutput(file, open, newlineIfNeeded);
}

function openOutput(name: string, open: () => number, prefix = (_fd: number) => ""): OutputFile {
  const problem = `${name} cannot be written`;
  const fd = orIoFailure(problem, open);
  return {
    write: (text) =>
      orIoFailure(problem, () => {
        const bytes = Buffer.from(`${prefix(fd)}${text}`);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
        closeSync(fd);
      }),
  };
}

/** Returns what ends the last line of a file. */
function newlineIfNeeded(fd: number): string {
  const stats = fstatSync(fd);
  if (!stats.isFile() || stats.size === 0) return "";
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stats.size - 1);
  return last.toString() === "\n" ? "" : "\n";
}
