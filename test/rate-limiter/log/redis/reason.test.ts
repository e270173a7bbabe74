import { expect, it } from "vitest";
import { reasonOf } from "../../../../src/rate-limiter/log/redis/connection.ts";

const failed = (...errors: readonly Error[]): Error =>
  Object.assign(new Error("2 commands failed"), { errors: () => errors.values() });

const needed = "it requires a password: set PETS_LIMITER_PASSWORD (NOAUTH)";
const wrong = "it rejected the user or password: check PETS_LIMITER_PASSWORD (WRONGPASS)";

it.each([
  ["its message", new Error("READONLY"), "READONLY"],
  ["its first line", new Error("one\ntwo"), "one"],
  ["the first address's", new AggregateError([new Error("first"), new Error("other")]), "first"],
  ["the first command's", failed(new Error("OOM"), new Error("other")), "OOM"],
  ["its own message if no command failed", failed(), "2 commands failed"],
  ["what to do without a password", new Error("NOAUTH HELLO must be"), needed],
  ["what to do with a wrong one", new Error("WRONGPASS invalid"), wrong],
  ["nothing of the password", new Error("not pass-word, pass-word"), "not ***, ***"],
  [
    "nothing that an old server repeats",
    new Error("ERR unknown command `HELLO`, with `pass-w"),
    "it is too old: it must be Redis 7, Valkey 7.2 or newer",
  ],
  ["no more than a line", new Error("x".repeat(1000)), `${"x".repeat(199)}…`],
])("says %s", (_name, error, expected) => {
  expect(reasonOf(error, "pass-word")).toBe(expected);
});

it("says everything if there is no password", () => {
  expect(reasonOf(new Error("no"), undefined)).toBe("no");
});
