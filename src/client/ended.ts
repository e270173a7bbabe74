import { Failure } from "../core/errors.ts";

/**
 * The Failure for a request that the user or the system ended. `reason` is what the signal was
 * aborted with; `attempts` how often the request was sent; `inDoubt` whether an animal may have been
 * added, in which case the message says so.
 */
export function cancelledFailure(reason: unknown, attempts: number, inDoubt: boolean): Failure {
  const known = reason instanceof Failure ? reason : undefined;
  const { kind, message } = known ?? { kind: "interrupted" as const, message: "interrupted" };
  const facts = { ...known?.facts, ...(attempts > 0 && { attempts }), cause: reason };
  if (!inDoubt) return new Failure(kind, message, facts);
  return new Failure(kind, `${message} while adding: the animal may or may not have been added`, {
    ...facts,
    retryable: false,
    hints: ["look for it with `pets list` before you add it again"],
  });
}
