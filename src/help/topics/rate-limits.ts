import type { Topic } from "./topic.ts";

export const rateLimits: Topic = {
  heading: "Rate limits",
  blocks: [
    "The service limits how many requests a key may send in a minute and in a day, and may ban a key that keeps asking after it was told to wait. So pets waits as long as it is told to, never less, and says so on standard error.",
    "All pets processes of one user on one machine pass the same gate. Once one of them was told to wait, none sends with that key to that address until the wait is over; then one tries first. When the requests that are left are used up, or on their way, the others wait for the reset. While nobody knows the limits, five at most are on their way.",
    "A wait of over a second is told: how long, until when, and why.",
    {
      lines: [
        "waiting 27 s, until 10:27:02 UTC (--max-wait 75s):",
        "the limit of 60 requests is used up",
      ],
    },
    'With "at most" it may be over sooner: another request tries whether the service answers again, or will tell the limits. On a terminal the line counts down; elsewhere it is told again every 30 s.',
    "What is sent again by itself, five requests in all at most:",
    {
      terms: [
        ["refused (429)", "after the wait, twice at most"],
        ["never sent", "three times"],
        [
          "GET that failed",
          "three times, where it broke on the way or was answered with 500, 502, 503, 504 or 408; once, where no answer came in time. A Retry-After is kept to",
        ],
        [
          "POST that left",
          "never, as it may have arrived: the exit code is 8, and the message says how to look",
        ],
      ],
    },
    "--max-wait (PETS_MAX_WAIT, 75s by default) bounds the waits of one request, those at the gate too. A wait that does not fit ends the command at once with exit code 5 and, where it is known, the time from which it may be tried. --max-wait 0 never waits. --timeout (PETS_TIMEOUT, 30s) bounds one request.",
    "`pets limits` shows what is known, and any wait in force, without a request.",
    "What is shared stands in small files that only you can read, with nothing of the key in them: in pets/gate below XDG_STATE_HOME, or where that is not set below ~/.local/state (macOS: ~/Library/Application Support; Windows: %LOCALAPPDATA%). Those that nobody has used for two days are removed. Where they can't be used each process keeps the same rules by itself, and --verbose says so. When the plan of a key was changed, delete that folder: the limits are then learnt anew.",
  ],
};
