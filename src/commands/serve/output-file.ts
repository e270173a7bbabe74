import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { orIoFailure } from "../../core/errors.ts";

const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;

/** Opens the file of `--report`, if there is one, empty and with mode 0600. Throws an io Failure. */
export function openReport(file: string | undefined) {
  if (file === undefined) return undefined;
  return openOutput(`the report ${file}`, () => {
    // Otherwise opening a pipe without a reader would block.
    const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | (O_NONBLOCK ?? 0), 0o600);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  });
}

/** Opens the file of `--write-env`, if there is one, to append lines; a missing one gets mode 0600. Throws an io Failure. */
export function openEnvFile(file: string | undefined) {
  if (file === undefined) return undefined;
  return openOutput(file, () => openSync(file, "a+", 0o600), endLastLine);
}

/** Opens a file before it is known what it will hold. */
function openOutput(name: string, open: () => number, before = (_fd: number): void => {}) {
  const problem = `${name} cannot be written`;
  const fd = orIoFailure(problem, open);
  return {
    /** Writes the text and closes the file. Throws an io Failure. */
    write: (text: string): void =>
      orIoFailure(problem, () => {
        before(fd);
        writeFileSync(fd, text);
        closeSync(fd);
      }),
  };
}

function endLastLine(fd: number): void {
  const stats = fstatSync(fd);
  if (!stats.isFile() || stats.size === 0) return;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stats.size - 1);
  if (last.toString() !== "\n") writeFileSync(fd, "\n");
}
