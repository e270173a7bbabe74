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
  const open = (): number => {
    // Otherwise opening a pipe without a reader would block.
    const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | (O_NONBLOCK ?? 0), 0o600);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  };
  return openOutput(`the report ${file}`, open, (report: string) => report);
}

/** Opens the file of `--write-env`, if there is one, to append; a missing one gets mode 0600. Throws an io Failure. */
export function openEnvFile(file: string | undefined) {
  if (file === undefined) return undefined;
  type Reached = Pick<Service, "baseUrl" | "keys">;
  const toLines = ({ baseUrl, keys: [{ apiKey }] }: Reached, fd: number): string => {
    const before = fstatSync(fd).isFile() ? readFileSync(fd, "utf8") : "";
    const start = before === "" || before.endsWith("\n") ? "" : "\n";
    return `${start}PETS_BASE_URL=${baseUrl}\nPETS_API_KEY=${apiKey}\n`;
  };
  return openOutput(file, () => openSync(file, "a+", 0o600), toLines);
}

function openOutput<T>(name: string, open: () => number, toText: (data: T, fd: number) => string) {
  const problem = `${name} cannot be written`;
  const fd = orIoFailure(problem, open);
  return {
    /** Writes and closes the file. Throws an io Failure. */
    write: (data: T): void =>
      orIoFailure(problem, () => {
        writeFileSync(fd, toText(data, fd));
        closeSync(fd);
      }),
  };
}
