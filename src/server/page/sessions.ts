import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Arrived } from "../http/exchange.ts";
import { isForeignPage, isLocalRequest } from "../http/local-request.ts";

/** Who may use the page: by links that work once, each exchanged for the secret that is stored with the data. */
export type PageSessions = ReturnType<typeof makeSessions>;

/** The maximum number of unused links; beyond that the oldest are forgotten. */
const maxTokens = 100;
const tokenBytes = 24;

/** Makes the sessions of a store. Its secret outlives the process, so windows keep their access. */
export function makeSessions(storeSecret: () => string) {
  const tokens = new Set<string>();
  return {
    /** Makes the token of a link for one visit. */
    issueToken: (): string => {
      const token = randomBytes(tokenBytes).toString("base64url");
      tokens.add(token);
      for (const oldest of tokens) if (tokens.size > maxTokens) tokens.delete(oldest);
      return token;
    },
    /** Returns the secret for a token, which is not valid from then on; undefined for one that is not valid. */
    redeem: (token: string): string | undefined =>
      tokens.delete(token) ? storeSecret() : undefined,
    /** Returns whether the page sent a request, which then needs no key: with the secret, from its own origin. */
    isPageRequest: (request: Arrived): boolean => {
      const { authorization, "x-pets-page": given } = request.incoming.headers;
      if (typeof given !== "string" || authorization !== undefined) return false;
      const [one, other] = [Buffer.from(given), Buffer.from(storeSecret())];
      const isSame = one.length === other.length && timingSafeEqual(one, other);
      return isSame && isLocalRequest(request) && !isForeignPage(request);
    },
  };
}
