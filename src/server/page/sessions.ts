import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The two halves of the access to the page, each of which opens nothing alone. */
export interface PageAccess {
  /** The value of the cookie, which browsers send to every port of a host. */
  readonly cookie: string;
  /** What only the page's origin has: the value of the header `X-Pets-Page`. */
  readonly secret: string;
}

/** Who may use the page: by links that work once, and by the access that they give (`help store`). */
export type PageSessions = ReturnType<typeof makeSessions>;

/** The maximum number of unused links; beyond that the oldest are forgotten. */
const maxTokens = 100;
const randomLength = 24;

/**
 * Makes the sessions of a store. A cookie is a random number signed with `storeSecret`, which is stored with
 * the data, and so is its secret: both outlive the process, and need no state here.
 */
export function makeSessions(storeSecret: () => string) {
  const tokens = new Set<string>();
  const sign = (purpose: "cookie" | "page", value: string): string =>
    createHmac("sha256", storeSecret()).update(`${purpose} ${value}`).digest("base64url");
  const isSigned = (cookie: string): boolean => {
    const [value = "", signature = ""] = cookie.split(".");
    return isEqual(signature, sign("cookie", value));
  };
  return {
    /** Makes the token of a link for one visit. */
    issueToken: (): string => {
      const token = randomBytes(randomLength).toString("base64url");
      tokens.add(token);
      for (const oldest of tokens) if (tokens.size > maxTokens) tokens.delete(oldest);
      return token;
    },
    /**
     * Returns the access for a token, which is not valid from then on; undefined for one that is not valid. A
     * browser that has one of these `cookies` keeps it, so that its other windows keep their access.
     */
    redeem: (token: string, cookies: readonly string[] = []): PageAccess | undefined => {
      if (!tokens.delete(token)) return undefined;
      const held = cookies.find(isSigned);
      const value = held?.split(".")[0] ?? randomBytes(randomLength).toString("base64url");
      return { cookie: `${value}.${sign("cookie", value)}`, secret: sign("page", value) };
    },
    isValid: ({ cookie, secret }: PageAccess): boolean => {
      const [value = ""] = cookie.split(".");
      return isEqual(secret, sign("page", value)) && isSigned(cookie);
    },
  };
}

/** Compares in a time that depends on the lengths only. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
