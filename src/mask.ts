const shown = 4;
const shortest = 12;

/**
 * `key` as it may be shown: `…` and its last 4 characters, or `…` alone when it is shorter than 12
 * (contract.md, Commands).
 */
export function maskKey(key: string): string {
  return key.length < shortest ? "…" : `…${key.slice(-shown)}`;
}
