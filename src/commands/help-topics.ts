import { environmentVariables } from "../config/environment.ts";

/** The texts of `pets help <topic>`, made when they are asked for. */
export const helpTopics: Readonly<Record<string, () => string>> = {
  environment,
  "exit-codes": () => exitCodes,
  output: () => output,
  "rate-limits": () => rateLimits,
};

function environment(): string {
  const width = Math.max(...environmentVariables.map(({ name }) => name.length));
  const lines = environmentVariables.map(
    ({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`,
  );
  return `Environment variables that pets reads. A flag beats a variable, a variable
beats the profile; an empty variable counts as not set.

${lines.join("\n")}

The profile is the one of --profile, else of PETS_PROFILE, else the current
one. When the key and the base URL both come from outside, the profile file is
not even read.
`;
}

const exitCodes = `Exit codes of pets.

    0  done; also when the reader of standard output went away
    1  anything else: a file that can't be read or written, a port in use, or a
       fault in pets itself (the message then says where to report it)
    2  wrong usage or invalid input, found here (nothing was sent) or by the
       service
    3  not found
    4  no key, a key that may not go there, or one that the service refuses
    5  rate limited: the wait would be longer than --max-wait, or the service
       refused again after the waits
    6  the service could not be reached, or gave no answer in time
    7  the service failed, or its reply is not what it promises
    8  the outcome is unknown: the animal may or may not have been added
    9  pets add --from: at least one row was not added
  130  interrupted
  143  terminated

\`pets serve -- command\` exits as the command does, with 128 + n for a signal,
127 when it is not found, and 126 when it can't be run.

An error is one line on standard error, with at most two lines on what to do
next. With --json or -o ndjson it is one line of JSON:

  {"error":{"code","message","status","exitCode","retryable","retryAt",
            "attempts"}}

Keys that do not apply are left out. "retryable" says that the same command may
be given again without harm. Where rows of --from are not valid, "details" tells
the first 20 of them: "line", "field", "message".
`;

const output = `Standard output carries the result and nothing else. Notes, warnings and errors
go to standard error; --quiet silences all but errors.

  -o table   a header and one line an animal; names are cut to the width of a
             terminal, and never in a pipe
  -o json    one value: list gives an array, add and get an object
  -o ndjson  one animal a line
  -o csv     RFC 4180: a header, CRLF line ends
  -o tsv     a header; tabs, line ends and backslashes are written \\t \\n \\r \\\\

--fields picks and orders the fields of every format: id, name, categoryId,
status. \`pets add --quiet\` prints the new id alone, unless a format was asked
for.

\`pets add --from\` shows each row as it ends:

  -o table   the animals added; the other rows go to standard error, a line each
  -o json    and ndjson: a line each, {"line":1,"outcome":"added","pet":{…}}, or
             with "error":{…} where the outcome is "rejected" or "unknown"
  -o csv     and tsv: line, outcome, id, name, categoryId, status, error
  --quiet    the new ids alone, unless a format was asked for

On a terminal a bar shows rows done, time left, rate and limits; elsewhere a
line each 30 s does. How many rows ended in which way, and the command that
sends the rest, are told at the end, on standard error. With --dry-run the rows
that would be sent are shown, in the same formats; with json as one array.

Ids are 64-bit integers, and come out digit for digit. In JSON they are
numbers: read them with a tool that keeps 64 bits.

Colour is for terminals only. NO_COLOR, TERM=dumb and --no-color turn it off,
FORCE_COLOR turns it on. Control characters that come from outside are shown
escaped.
`;

const rateLimits = `The service limits how many requests a key may send in a minute and in a day,
and may ban a key that keeps asking after it was told to wait. So pets waits as
long as it is told to, never less, and says so on standard error.

All pets processes of one user on one machine pass the same gate. Once one of
them was told to wait, none sends with that key to that address until the wait
is over; then one tries first. When the requests that are left are used up, or
on their way, the others wait for the reset. While nobody knows the limits,
five at most are on their way.

  waiting 27 s, until 10:27:02 UTC (--max-wait 75s): the limit of 60 requests
  is used up

says how long, until when, and why. With "at most" it may be over sooner:
another request tries whether the service answers again, or will tell the
limits. On a terminal the line counts down; elsewhere it is told again every
30 s.

A request that was refused (429) is sent again after the wait, twice at most. A
request that never left is tried again three times; so is a GET that failed on
the way or that the service answered with 500, 502, 503, 504 or 408. A GET that
got no answer in time is tried again once. A POST that may have arrived is
never sent again by itself: the exit code is 8, and the message says how to
look.

--max-wait (PETS_MAX_WAIT, 75s by default) bounds the waits of one request,
those at the gate too. A wait that does not fit ends the command at once with
exit code 5 and, where it is known, the time from which it may be tried.
--max-wait 0 never waits. --timeout (PETS_TIMEOUT, 30s) bounds one request.

\`pets limits\` shows what is known, and any wait in force, without a request.

What is shared stands in small files that only you can read, with nothing of
the key in them: in pets/gate below XDG_STATE_HOME, or where that is not set
below ~/.local/state (macOS: ~/Library/Application Support; Windows:
%LOCALAPPDATA%). Where they can't be used each process keeps the same rules by
itself, and --verbose says so. When the plan of a key was changed, delete that
folder: the limits are then learnt anew.
`;
