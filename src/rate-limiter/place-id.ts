const digits = 10;
const ids = 36 ** digits;

/** An id for a place, of 10 digits and letters, from a random number of 0 up to 1. */
export function permitId(random: number): string {
  return Math.floor(random * ids)
    .toString(36)
    .padStart(digits, "0");
}
