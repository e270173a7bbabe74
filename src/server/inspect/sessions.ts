import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may use the page: by links that work once, and by cookies that last (store.md, Seeing what happens). */
export interface PageSessions {
  /** Makes the token of a link for one visit. */
  issueToken(): string;
  /** Returns the cookie's value for a token, which is not valid from then on; undefined for one that is not valid. */
  redeem(token: string): string | undefined;
  readonly isValid: (cookie: string) => boolean;
}

/** The maximum number of unused links; beyond that the oldest are forgotten. */
const maxTokens = 100;
const randomLength = 24;
/** How long a browser keeps the cookie, in seconds. */
const maxAgeSeconds = 30 * 24 * 60 * 60;

/**
 * Makes the sessions of a store. A cookie is a random number signed with `secret`, which is stored with
 * the data: so it outlives the process, and needs no state here.
 */
export function makeSessions(secret: () => string): PageSessions {
  const tokens = new Set<string>();
  const sign = (value: string): Buffer => createHmac("sha256", secret()).update(value).digest();
  return {
    issueToken: () => {
      const token = randomBytes(randomLength).toString("base64url");
      tokens.add(token);
      for (const oldest of tokens) if (tokens.size > maxTokens) tokens.delete(oldest);
      return token;
    },
    redeem: (token) => {
      if (!tokens.delete(token)) return undefined;
      const value = randomBytes(randomLength).toString("base64url");
      return `${value}.${sign(value).toString("base64url")}`;
    },
    isValid: (cookie) => {
      const [value = "", signature = ""] = cookie.split(".");
      const given = Buffer.from(signature, "base64url");
      const expected = sign(value);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** Returns the name of the cookie of a store at `port`: browsers send a cookie to every port of a host. */
export function cookieName(port: number): string {
  return `pets_page_${port}`;
}

/** Returns the value of `Set-Cookie` (RFC 6265, 4.1) for a session. */
export function setCookie(name: string, value: string, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the values of the cookies called `name` in a `Cookie` header, which may have several of one name. */
export function readCookies(header: string, name: string): readonly string[] {
  const start = `${name}=`;
  const cookies = header.split(";").map((cookie) => cookie.trim());
  return cookies.filter((cookie) => cookie.startsWith(start)).map((it) => it.slice(start.length));
}
