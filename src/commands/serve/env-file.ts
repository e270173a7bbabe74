import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { errorMessage, ioFailure } from "../../core/errors.ts";
import { ensurePrivateFile } from "../../platform/private-files.ts";
import type { Service } from "./start-service.ts";

/** The file of `--write-env`, opened before the store starts. */
export interface EnvFile {
  /** Appends base URL and first key, as `$GITHUB_ENV` and `docker --env-file` read them. Throws an io Failure. */
  append(service: Pick<Service, "baseUrl" | "keys">): void;
}

/** Opens the file of `--write-env`; a missing one is made with mode 0600. Throws an io Failure. */
export function openEnvFile(file: string): EnvFile {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw ioFailure(`${file} cannot be written: ${errorMessage(error)}`, error);
    }
  };
  const fd = attempt(() => {
    ensurePrivateFile(file);
    return openSync(file, constants.O_RDWR | constants.O_APPEND);
  });
  return {
    append: ({ baseUrl, keys: [{ apiKey }] }) =>
      attempt(() => {
        const start = endsWithNewline(fd) ? "" : "\n";
        writeSync(fd, `${start}PETS_BASE_URL=${baseUrl}\nPETS_API_KEY=${apiKey}\n`);
        closeSync(fd);
      }),
  };
}

function endsWithNewline(fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isFile() || stats.size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stats.size - 1);
  return last.toString() === "\n";
}
