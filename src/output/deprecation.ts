import type { DeprecationNotice } from "../client/http/reply-head.ts";
import { truncate } from "../core/strings.ts";

const maxLength = 100;

/** Returns a sentence about a deprecated request (RFC 9745, RFC 8594), in the words of the headers. */
export function deprecationText({ deprecation, sunset }: DeprecationNotice): string {
  const headers = Object.entries({ Deprecation: deprecation, Sunset: sunset });
  const said = headers.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${truncate(value, maxLength)}`],
  );
  return `The service says that this request is deprecated (${said.join("; ")}).`;
}
