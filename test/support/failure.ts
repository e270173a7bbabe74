import { Failure } from "../../src/core/errors.ts";

/** The Failure that `act` throws; anything else that it does is an error of the test. */
export function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
