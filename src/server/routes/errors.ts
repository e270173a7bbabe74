/** The values of `code` in an Error body (store.md, Answers). */
export type ProblemCode =
  | "bad_request"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "gone"
  | "rate_limited"
  | "key_banned"
  | "unavailable"
  | "internal";

/** A request that ends in an Error body: thrown anywhere on its way, answered in one place. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  /** `headers` go into the reply beside those that every reply carries. */
  constructor(
    status: number,
    code: ProblemCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** The Error body (api.md, Error), as JSON text. */
  get body(): string {
    const { code, message, status } = this;
    return JSON.stringify({ code, message, status });
  }
}

/** A 400: what is wrong, naming the field and what is allowed. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, "bad_request", message);
}
