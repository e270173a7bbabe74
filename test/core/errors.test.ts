import { describe, expect, it } from "vitest";
import { errorMessage, Failure, type FailureKind, isSystemError } from "../../src/core/errors.ts";

describe("Failure", () => {
  it.each<readonly [FailureKind, number, string]>([
    ["internal", 1, "internal"],
    ["io", 1, "io"],
    ["usage", 2, "usage"],
    ["not_found", 3, "not_found"],
    ["auth", 4, "no_api_key"],
    ["rate_limited", 5, "rate_limited"],
    ["unreachable", 6, "network"],
    ["service", 7, "bad_response"],
    ["outcome_unknown", 8, "outcome_unknown"],
    ["partial", 9, "partial"],
    ["interrupted", 130, "interrupted"],
    ["terminated", 143, "interrupted"],
  ])("of the kind %s has the exit code %s and the code %s", (kind, exitCode, code) => {
    expect(new Failure(kind, "no")).toMatchObject({ kind, exitCode, code, hints: [] });
  });

  it("prefers a given code", () => {
    const facts = { code: "banned", hints: ["wait"] };
    expect(new Failure("rate_limited", "no", facts)).toMatchObject(facts);
  });
});

describe("isSystemError", () => {
  it.each([
    [Object.assign(new Error("no"), { code: "ENOENT" }), true],
    [Object.assign(new Error("no"), { code: "EACCES" }), false],
    [new Error("ENOENT"), false],
    [{ code: "ENOENT" }, false],
    [undefined, false],
  ])("%o: %s", (error, expected) => {
    expect(isSystemError(error, "ENOENT")).toBe(expected);
  });
});

it.each([
  [new Error("no"), "no"],
  ["no", "no"],
  [undefined, "undefined"],
  [system("ENOENT", "ENOENT: no such file or directory, open 'x'"), "no such file or directory"],
  [system("ENOENT", "spawn x ENOENT"), "no such file or directory"],
  [system("EBUSY", "EBUSY: resource busy or locked, rename 'a' -> 'b'"), "resource busy or locked"],
  [system("UND_ERR_SOCKET", "other side closed"), "other side closed"],
])("errorMessage of %o is %j", (error, message) => {
  expect(errorMessage(error)).toBe(message);
});

function system(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, syscall: "open" });
}
