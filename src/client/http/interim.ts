import { symbols } from "../../vendor/undici.ts";

/** What is needed of undici's parser of replies. */
interface ReplyParser {
  onHeadersComplete(status: number, upgrade: boolean, shouldKeepAlive: boolean): number;
}

/**
 * Lets a reply on `socket`, which undici has taken, begin with `100 Continue` though nothing asked
 * for it, as a client must (RFC 9110, 15.2). undici passes over every other 1xx, but breaks the
 * connection for this one, which would leave a POST in doubt.
 */
export function tolerateUnsolicitedContinue(socket: object): void {
  const parser: unknown = Reflect.get(socket, symbols.kParser);
  if (!isReplyParser(parser)) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) =>
    complete(status === 100 ? 102 : status, upgrade, shouldKeepAlive);
}

function isReplyParser(value: unknown): value is ReplyParser {
  return value instanceof Object && "onHeadersComplete" in value;
}
