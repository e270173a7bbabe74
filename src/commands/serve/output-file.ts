import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { orIoFailure } from "../../core/errors.ts";
import type { Service } from "./start-service.ts";

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

/** Opens the file of `--write-env`, if there is one; a missing one gets mode 0600. Throws an io Failure. */
export function openEnvFile(file: string | undefined) {
  if (file === undefined) return undefined;
  const output = openOutput(file, () => openSync(file, "a+", 0o600));
  return {
    /** Appends the lines that `$GITHUB_ENV` and `docker --env-file` read. Throws an io Failure. */
    write: ({ baseUrl, keys: [{ apiKey }] }: Pick<Service, "baseUrl" | "keys">): void =>
      output.write(`PETS_BASE_URL=${baseUrl}\nPETS_API_KEY=${apiKey}\n`, (fd) => {
        const before = fstatSync(fd).isFile() ? readFileSync(fd, "utf8") : "";
        return before === "" || before.endsWith("\n") ? "" : "\n";
      }),
  };
}

/** Opens a file before it is known what it will hold. */
function openOutput(name: string, open: () => number) {
  const problem = `${name} cannot be written`;
  const fd = orIoFailure(problem, open);
  return {
    /** Writes the text, after what `prefix` returns, and closes the file. Throws an io Failure. */
    write: (text: string, prefix = (_fd: number) => ""): void =>
      orIoFailure(problem, () => {
        writeFileSync(fd, `${prefix(fd)}${text}`);
        closeSync(fd);
      }),
  };
}
