import { describe, expect, it } from "vitest";
import {
  connectError,
  isNoResponse,
  isTooManyConnections,
  toDatabaseError,
  toStartFailure,
} from "../../../../src/server/storage/postgres/errors.ts";

const address = "db:5432";
const sqlError = (code: string): Error =>
  Object.assign(new Error("refused"), { code, severity: "ERROR" });

describe("toDatabaseError", () => {
  it.each([
    ["a network error", new Error("read ECONNRESET"), true, true],
    ["a serialization failure", sqlError("40001"), true, false],
    ["too many connections", sqlError("53300"), true, false],
    ["a read-only standby", sqlError("25006"), true, false],
    ["a server that shuts down", sqlError("57P01"), true, true],
    ["an internal error", sqlError("XX000"), true, true],
    ["a constraint", sqlError("23514"), false, false],
    ["a missing right", sqlError("42501"), false, false],
  ])("%s", (_what, error, isTransient, isUnanswered) => {
    const databaseError = toDatabaseError(error, address);
    expect(databaseError).toMatchObject({ isTransient, isUnanswered });
    expect(databaseError.message).toBe(
      `the database at ${address} cannot be used: ${error.message}`,
    );
    expect(databaseError.cause).toBe(error);
  });

  it.each([
    ["Query read timeout", "it did not respond in time"],
    ["timeout exceeded when trying to connect", "all connections to it are busy"],
  ])("says what pg means by %s", (message, meaning) => {
    expect(toDatabaseError(new Error(message), address).message).toContain(meaning);
  });

  it("joins the errors of several addresses", () => {
    const error = new AggregateError([new Error("one"), new Error("two")]);
    expect(toDatabaseError(error, address).message).toMatch(/: one; two$/);
  });
});

describe("connectError", () => {
  it.each([
    ["refused by the server", sqlError("28P01"), "used"],
    ["an untrusted certificate", Object.assign(new Error("x"), { code: "CERT_EXPIRED" }), "used"],
    ["not reachable", new Error("connect ECONNREFUSED"), "reached"],
  ])("%s", (_what, error, verb) => {
    const databaseError = connectError(error, address);
    expect(databaseError.message).toContain(`the database at ${address} cannot be ${verb}: `);
    expect(databaseError).toMatchObject({ isTransient: true, isUnanswered: false });
  });
});

describe("what an error means", () => {
  it("recognises the server's codes", () => {
    expect(isTooManyConnections(sqlError("53300"))).toBe(true);
    expect(isTooManyConnections(sqlError("53200"))).toBe(false);
  });

  it("distinguishes silence from a reply that ends the connection", () => {
    expect(isNoResponse(toDatabaseError(new Error("timeout expired"), address))).toBe(true);
    expect(isNoResponse(toDatabaseError(sqlError("57P01"), address))).toBe(false);
    expect(isNoResponse(new Error("timeout expired"))).toBe(false);
  });

  it("is an io Failure at the start, unlike other errors", () => {
    const other = new Error("x");
    expect(toStartFailure(other)).toBe(other);
    expect(toStartFailure(toDatabaseError(other, address))).toMatchObject({ kind: "io" });
  });
});
