import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import path from "node:path";
import { ensurePrivateFolder, isSystemError } from "../../platform/private-files.ts";

const hexDigits = 32;

/**
 * The name of the journal of an input at a service: a hash of `content`, the SHA-256 of its bytes in
 * hexadecimal digits, and of the base URL, whose last slashes make no difference (contract.md, Bulk).
 */
export function journalName(content: string, baseUrl: URL): string {
  const base = baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");
  const hash = createHash("sha256").update(`pets bulk journal\n${content}\n${base}`);
  return hash.digest("hex").slice(0, hexDigits);
}

/** Makes `folder` (mode 0700); answers those whose entries have to be synced for it to outlast a power loss. */
export function ensureFolder(folder: string): readonly string[] {
  const changed = [folder];
  let parent = folder;
  while (!existsSync(parent) && path.dirname(parent) !== parent) {
    parent = path.dirname(parent);
    changed.push(parent);
  }
  ensurePrivateFolder(folder);
  return changed;
}

/** Writes the entries of `folder` to the disk, where the system knows how to. Throws where the disk fails. */
export function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, "r");
    fsyncSync(fd);
  } catch (error) {
    // Windows opens no folders, and some file systems sync none.
    if (["EIO", "ENOSPC", "EDQUOT"].some((code) => isSystemError(error, code))) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
