/** A situation in which `pets serve --suite` judges a command. */
export interface Scenario {
  readonly name: string;
  /** What a good client does, in one sentence of Markdown. */
  readonly advice: string;
  /** Steps as `--script` takes them (`help store`); a scenario is not reached unless every step was taken. */
  readonly script?: readonly object[];
  /** The limits of the key, as for `--plan`; none unless given. */
  readonly plan?: string;
  readonly banMs?: number;
  /** What happens to the key before the command starts. */
  readonly before?: "ban" | "revoke";
  /** Whether the command may end with an error, because neither waiting nor trying again helps. */
  readonly mayFail?: true;
}

type Situation = Omit<Scenario, "name">;
type Step = Readonly<Record<string, unknown>>;

/** Returns a situation in which each `GET` (or request `on` something else) meets `step`. */
function get(step: Step, advice: string): Situation {
  return { advice, script: [{ on: "GET", ...step }] };
}

/** Returns one in which a `POST` meets `step`; the command may end with an error if it may have been carried out. */
function post(step: Step, advice: string): Situation {
  const mayFail = step.do !== 429 && { mayFail: true as const };
  return { advice, script: [{ on: "POST", ...step }], ...mayFail };
}

const situations: Readonly<Record<string, Situation>> = {
  "get-429-seconds": get(
    { do: 429, retryAfter: 1 },
    "A `GET` that is refused with `Retry-After` in seconds is sent again once they have elapsed.",
  ),
  "get-429-date": get(
    { do: 429, retryAfter: "date" },
    "`Retry-After` may be an HTTP date: wait until then, counted from the `Date` of the response.",
  ),
  "get-429-no-header": get(
    { do: 429 },
    "A 429 without `Retry-After` means: wait for a short delay, then send the `GET` again.",
  ),
  "get-429-twice": get(
    { do: 429, retryAfter: 1, times: 2 },
    "A `GET` that is refused twice in a row waits twice.",
  ),
  "post-429-seconds": post(
    { do: 429, retryAfter: 1 },
    "A refused `POST` did nothing: send it again once `Retry-After` has elapsed.",
  ),
  "post-429-no-header": post(
    { do: 429 },
    "A refused `POST` did nothing, so it is sent again: without `Retry-After`, after a short delay.",
  ),
  "window-used-up": {
    advice:
      "With no requests left in a window (`X-RateLimit-Remaining: 0`), wait for its reset; never send before a `Retry-After` has elapsed.",
    plan: "2/2s,100000/day",
  },
  ban: {
    advice: "A banned key waits until the ban has ended, then continues.",
    plan: "8/2s,100000/day",
    banMs: 2_000,
    before: "ban",
  },
  unauthorized: {
    advice: "Retrying after a 401 does not help: report it, and send it no more than three times.",
    before: "revoke",
    mayFail: true,
  },
  "get-500": get({ do: 500 }, "A `GET` that fails with 500 is sent again."),
  "get-502-html": get(
    { do: 502, body: "html" },
    "An error of a proxy has a body of HTML: do not parse it as JSON, and send the `GET` again.",
  ),
  "get-503": get({ do: 503 }, "A `GET` that fails with 503 is sent again after a short delay."),
  "get-503-retry-after": get(
    { do: 503, retryAfter: 1 },
    "A 503 with `Retry-After` is a wait as well: send the `GET` again once it has elapsed.",
  ),
  "get-504": get({ do: 504 }, "A `GET` that fails with 504 is sent again."),
  "get-reset": get({ do: "reset" }, "A `GET` whose connection is reset is sent again."),
  "get-truncated": get(
    { do: "truncate" },
    "A response that ends before its `Content-Length` is no response: send the `GET` again.",
  ),
  "get-hang": get(
    { do: "hang" },
    "A `GET` that gets no response needs a time limit, after which it is sent again.",
  ),
  "post-stored-reset": post(
    { do: "reset", kept: true },
    "A `POST` whose connection is reset may have been carried out: do not send it again, report that the outcome is unknown.",
  ),
  "post-stored-truncated": post(
    { do: "truncate" },
    "A `POST` whose response is cut off was carried out: do not send it again.",
  ),
  "post-stored-hang": post(
    { do: "hang", kept: true },
    "A `POST` that gets no response in time may have been carried out: do not send it again.",
  ),
  "post-stored-500": post(
    { do: 500, kept: true },
    "A `POST` that fails with 500 may have been carried out: do not send it again.",
  ),
  "post-stored-502-html": post(
    { do: 502, body: "html", kept: true },
    "A `POST` to which a proxy responds with 502 may have been carried out: do not send it again.",
  ),
  "post-refused-503": post(
    { do: 503, retryAfter: 1 },
    "A `POST` that is refused with 503 was not carried out, but nothing says so: end with an error, or look first whether the animal is there.",
  ),
  "connection-closed": get(
    { on: "*", do: "close", times: 2 },
    "A connection that the server has closed between two requests is replaced by a new one.",
  ),
  "slow-response": get(
    { on: "*", do: "slow", over: "500ms" },
    "A response that comes in drops is read to its end.",
  ),
  "interim-response": get(
    { on: "*", do: "interim", times: 2 },
    "An interim response (103) comes before the final one, which is the one that counts.",
  ),
};

/** All scenarios of the suite, in the order in which they run. */
export const scenarios: readonly Scenario[] = Object.entries(situations).map(([name, situation]) =>
  Object.assign({ name }, situation),
);
