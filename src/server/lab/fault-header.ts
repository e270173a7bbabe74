import { type ApiError, badRequest } from "../api/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import { parseRequestedFault, type RequestedFault, requestedFaultSyntax } from "./fault-spec.ts";

/** Returns the meaning of a request's X-Pets-Fault header, or the ApiError for an invalid one; undefined without one. */
export function readFaultHeader(exchange: Exchange): RequestedFault | ApiError | undefined {
  const { "x-pets-fault": header } = exchange.incoming.headers;
  if (header === undefined || !isLocalRequest(exchange)) return undefined;
  const requested = parseRequestedFault(header.toString());
  return requested ?? badRequest(`X-Pets-Fault must be ${requestedFaultSyntax}`);
}
