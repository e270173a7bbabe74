import type { Topic } from "./topic.ts";

export const exitCodes: Topic = {
  heading: "Exit status",
  blocks: [
    "Exit codes of pets.",
    {
      terms: [
        ["0", "done; also when the reader of standard output went away"],
        [
          "1",
          "anything else: a file that can't be read or written, a port in use, or a fault in pets itself (the message then says where to report it)",
        ],
        [
          "2",
          "wrong usage or invalid input, found here (nothing was sent) or by the service (400, 422, and every other 4xx that is not named below)",
        ],
        ["3", "not found (404)"],
        ["4", "no key, a key that may not go there, or one that the service refuses (401, 403)"],
        [
          "5",
          "rate limited: the wait would be longer than --max-wait, or the service refused again after the waits",
        ],
        [
          "6",
          "the service could not be reached (name, connection, TLS, proxy), or gave no answer in time to a request that is safe to send again",
        ],
        [
          "7",
          "the service failed, or its reply is not what it promises (5xx, 405, 410, a redirect, a broken body)",
        ],
        [
          "8",
          "the outcome is unknown: the animal may or may not have been added. Look with `pets list` before you add it again",
        ],
        ["9", "`pets add --from`: at least one row was not added"],
        ["130", "interrupted (SIGINT)"],
        ["143", "terminated (SIGTERM)"],
      ],
    },
    "`pets serve -- command` exits as the command does, with 128 + n for a signal, 127 when it is not found, and 126 when it can't be run.",
    "An error is one line on standard error, with at most two lines on what to do next. With -o json (or --json) and -o ndjson it is one line of JSON instead, the last one on standard error:",
    {
      lines: [
        '{"error":{"code","message","status","exitCode",',
        '          "retryable","retryAt","attempts"}}',
      ],
    },
    "Keys that do not apply are left out.",
    {
      terms: [
        [
          "code",
          "the service's own where it sent one, else one of usage, no_api_key, key_not_for_origin, network, timeout, bad_response, rate_limited, outcome_unknown, partial, interrupted, io, internal",
        ],
        ["status", "of HTTP, where the service answered"],
        ["retryable", "whether the same command may be given again without harm"],
        ["retryAt", "from when on, in ISO 8601 and UTC"],
        ["attempts", "how many requests were sent"],
        [
          "details",
          "where rows of --from are not valid: the first 20 of them, each with line, field and message",
        ],
      ],
    },
  ],
};
