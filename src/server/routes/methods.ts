import type { Handler } from "hono";
import { ApiError } from "./errors.ts";
import type { StoreEnv } from "./responses.ts";

/** Answers 405 and tells the `methods` that a path takes, as in `GET, HEAD`. */
export function methodNotAllowed(methods: string): Handler<StoreEnv> {
  return () => {
    throw new ApiError(405, "method_not_allowed", `the methods allowed here are ${methods}`, {
      Allow: methods,
    });
  };
}
