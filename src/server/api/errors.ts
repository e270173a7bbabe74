/** The values of `code` in an Error body (`help store`). */
export const errorCodes = [
  "bad_request",
  "unauthorized",
  "not_found",
  "method_not_allowed",
  "payload_too_large",
  "gone",
  "rate_limited",
  "key_banned",
  "unsupported_media_type",
  "unavailable",
  "internal",
] as const;

/** `forbidden` is only for /_store and X-Pets-Fault. */
export type ErrorCode = (typeof errorCodes)[number] | "forbidden";

/** An error that is sent as an Error body: thrown while a request is handled, caught in the router. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /** `headers` are sent in addition to those of every response. */
  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  get body(): string {
    const { code, message, status } = this;
    return JSON.stringify({ code, message, status });
  }
}

/** Returns a 400. Its message must name the field and what is allowed. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, "bad_request", message);
}

/** Returns a 403, for what the store does only if it was started in another way. */
export function forbidden(message: string): ApiError {
  return new ApiError(403, "forbidden", message);
}

/** Returns the 401 of a request without a valid key; `sent` is its Authorization header, if it has one. */
export function unauthorized(sent: string | undefined): ApiError {
  const none = "no API key: send it as Authorization: Bearer <API_KEY>";
  const message = sent === undefined ? none : "invalid API key";
  return new ApiError(401, "unauthorized", message, { "WWW-Authenticate": "Bearer" });
}

/** Returns the error of a path that leads to nothing (404). */
export function notFound(message: string): ApiError {
  return new ApiError(404, "not_found", message);
}
