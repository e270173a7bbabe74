import { ioFailure } from "../../core/errors.ts";

/** The io Failure of a file or database, shown as `place`, in which there is no store yet. */
export function noStore(place: string): Error {
  return ioFailure(`there is no store in ${place}`, undefined, "`pets serve` makes one");
}
