import { describe, expect, it } from "vitest";
import {
  connectError,
  DatabaseRefusal,
  DatabaseUnavailable,
  isTooManyConnections,
  toDatabaseError,
  toStartFailure,
} from "../../../../src/server/storage/postgres/errors.ts";

const address = "db:5432";
const sqlError = (code: string): Error =>
  Object.assign(new Error("refused"), { code, severity: "ERROR" });

describe("toDatabaseError", () => {
  it.each([
    ["a network error", new Error("read ECONNRESET"), true],
    ["a serialization failure", sqlError("40001"), false],
    ["too many connections", sqlError("53300"), false],
    ["a read-only standby", sqlError("25006"), false],
    ["a server that shuts down", sqlError("57P01"), true],
    ["an internal error", sqlError("XX000"), true],
  ])("may be tried again: %s", (_what, error, isUnanswered) => {
    const found = toDatabaseError(error, address);
    expect(found).toBeInstanceOf(DatabaseUnavailable);
    expect(found).toMatchObject({ isUnanswered, cause: error });
    expect(found.message).toBe(`the database at ${address} cannot be used: ${error.message}`);
  });

  it.each(["23514", "42501"])("is a refusal: %s", (code) => {
    expect(toDatabaseError(sqlError(code), address)).toBeInstanceOf(DatabaseRefusal);
  });

  it("joins the errors of several addresses", () => {
    const error = new AggregateError([new Error("one"), new Error("two")]);
    expect(toDatabaseError(error, address).message).toMatch(/: one; two$/);
  });
});

it("may always try to connect again, and nothing was carried out", () => {
  for (const error of [sqlError("28P01"), new Error("connect ECONNREFUSED")])
    expect(connectError(error, address)).toMatchObject({ isUnanswered: false });
  expect(isTooManyConnections(sqlError("53300"))).toBe(true);
  expect(isTooManyConnections(sqlError("53200"))).toBe(false);
});

it("is an io Failure at the start, with a hint, unlike other errors", () => {
  const other = new Error("client password must be a string");
  expect(toStartFailure(other)).toBe(other);
  expect(toStartFailure(connectError(other, address))).toMatchObject({
    kind: "io",
    facts: { hints: ["Set PGPASSWORD in the environment."] },
  });
});
