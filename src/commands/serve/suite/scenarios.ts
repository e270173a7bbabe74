/** Trouble in which `pets serve --suite` judges a command. */
export interface Scenario {
  /** Lower case, with hyphens. */
  readonly name: string;
  /** What a good client does, in one sentence of Markdown. */
  readonly advice: string;
  /** Steps as `--script` takes them (`help store`); a scenario is not reached unless every step was taken. */
  readonly script?: readonly object[];
  /** The limits of the key, as for `--plan`; none unless given. */
  readonly plan?: string;
  /** How long a ban lasts, in ms. */
  readonly banMs?: number;
  /** What happens to the key before the command starts. */
  readonly before?: "ban" | "revoke";
  /** Whether the command may end with an error, because neither waiting nor trying again helps. */
  readonly mayFail?: true;
}

/** All scenarios of the suite, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  {
    name: "get-429-seconds",
    advice:
      "A `GET` that is refused with `Retry-After` in seconds is sent again once they have elapsed.",
    script: [{ on: "GET", do: 429, retryAfter: 1 }],
  },
  {
    name: "get-429-date",
    advice:
      "`Retry-After` may be an HTTP date: wait until then, counted from the `Date` of the response.",
    script: [{ on: "GET", do: 429, retryAfter: "date" }],
  },
  {
    name: "get-429-no-header",
    advice:
      "A 429 without `Retry-After` means: wait for a moment of your own choice, then send the `GET` again.",
    script: [{ on: "GET", do: 429 }],
  },
  {
    name: "get-429-twice",
    advice: "A `GET` that is refused twice in a row waits twice.",
    script: [{ on: "GET", do: 429, retryAfter: 1, times: 2 }],
  },
  {
    name: "post-429-seconds",
    advice: "A refused `POST` did nothing: send it again once `Retry-After` has elapsed.",
    script: [{ on: "POST", do: 429, retryAfter: 1 }],
  },
  {
    name: "post-429-no-header",
    advice:
      "A refused `POST` did nothing, so it is sent again, without `Retry-After` after a moment of your own choice.",
    script: [{ on: "POST", do: 429 }],
  },
  {
    name: "window-used-up",
    advice:
      "With no requests left in a window (`X-RateLimit-Remaining: 0`), wait for its reset; never send before a `Retry-After` has elapsed.",
    plan: "2/2s,100000/day",
  },
  {
    name: "ban",
    advice: "A banned key waits until the ban has ended, and then goes on.",
    plan: "8/2s,100000/day",
    banMs: 2_000,
    before: "ban",
  },
  {
    name: "unauthorized",
    advice:
      "After a 401 the same request has no better luck: report it, and send it no more than three times.",
    before: "revoke",
    mayFail: true,
  },
  {
    name: "get-500",
    advice: "A `GET` that fails with 500 is sent again.",
    script: [{ on: "GET", do: 500 }],
  },
  {
    name: "get-502-html",
    advice:
      "An error of a proxy has a body of HTML: do not parse it as JSON, and send the `GET` again.",
    script: [{ on: "GET", do: 502, body: "html" }],
  },
  {
    name: "get-503",
    advice: "A `GET` that fails with 503 is sent again after a moment.",
    script: [{ on: "GET", do: 503 }],
  },
  {
    name: "get-503-retry-after",
    advice: "A 503 with `Retry-After` is a wait as well: send the `GET` again once it has elapsed.",
    script: [{ on: "GET", do: 503, retryAfter: 1 }],
  },
  {
    name: "get-504",
    advice: "A `GET` that fails with 504 is sent again.",
    script: [{ on: "GET", do: 504 }],
  },
  {
    name: "get-reset",
    advice: "A `GET` whose connection is reset is sent again.",
    script: [{ on: "GET", do: "reset" }],
  },
  {
    name: "get-truncated",
    advice:
      "A response that ends before its `Content-Length` is no response: send the `GET` again.",
    script: [{ on: "GET", do: "truncate" }],
  },
  {
    name: "get-hang",
    advice: "A `GET` that gets no response needs a time limit, after which it is sent again.",
    script: [{ on: "GET", do: "hang" }],
  },
  {
    name: "post-stored-reset",
    advice:
      "A `POST` whose connection is reset may have been carried out: do not send it again, report that the outcome is unknown.",
    script: [{ on: "POST", do: "reset", kept: true }],
    mayFail: true,
  },
  {
    name: "post-stored-truncated",
    advice: "A `POST` whose response is cut off was carried out: do not send it again.",
    script: [{ on: "POST", do: "truncate" }],
    mayFail: true,
  },
  {
    name: "post-stored-hang",
    advice:
      "A `POST` that gets no response in time may have been carried out: do not send it again.",
    script: [{ on: "POST", do: "hang", kept: true }],
    mayFail: true,
  },
  {
    name: "post-stored-500",
    advice: "A `POST` that fails with 500 may have been carried out: do not send it again.",
    script: [{ on: "POST", do: 500, kept: true }],
    mayFail: true,
  },
  {
    name: "post-stored-502-html",
    advice:
      "A `POST` to which a proxy responds with 502 may have been carried out: do not send it again.",
    script: [{ on: "POST", do: 502, body: "html", kept: true }],
    mayFail: true,
  },
  {
    name: "post-refused-503",
    advice:
      "A `POST` that is refused with 503 was not carried out, but nothing says so: end with an error, or look first whether the animal is there.",
    script: [{ on: "POST", do: 503, retryAfter: 1 }],
    mayFail: true,
  },
  {
    name: "connection-closed",
    advice:
      "A connection that the server has closed between two requests is replaced by a new one.",
    script: [{ on: "*", do: "close", times: 2 }],
  },
  {
    name: "slow-response",
    advice: "A response that comes in drops is read to its end.",
    script: [{ on: "*", do: "slow", over: "500ms" }],
  },
  {
    name: "interim-response",
    advice: "An interim response (103) comes before the final one, which is the one that counts.",
    script: [{ on: "*", do: "interim", times: 2 }],
  },
];
