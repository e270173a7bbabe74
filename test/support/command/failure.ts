import { Failure } from "../../../src/core/errors.ts";

/** Returns the Failure that `act` throws; throws if it does anything else. */
export function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
