const idLength = 10;
const idCount = 36 ** idLength;

/** Returns the id of a new permit, 10 digits and letters; `random` returns a number from 0 up to 1. */
export function newPermitId(random: () => number): string {
  return Math.floor(random() * idCount)
    .toString(36)
    .padStart(idLength, "0");
}

/** An open permit of this process. */
interface OpenPermit {
  /** Whether an earlier request used it before. */
  readonly isReused?: boolean;
  /** Ends the signs of life of a probe. */
  readonly stop?: () => void;
}

/** The open permits of this process, by id. */
export class OwnPermits<Permit extends OpenPermit = OpenPermit> extends Map<string, Permit> {
  /** Ends a permit; returns whether it was open. */
  override delete(id: string): boolean {
    this.get(id)?.stop?.();
    return super.delete(id);
  }
}
