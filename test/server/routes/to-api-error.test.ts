import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { describe, expect, it } from "vitest";
import { ApiError, badRequest, ClientDisconnected } from "../../../src/server/api/errors.ts";
import { toApiError } from "../../../src/server/routes/to-api-error.ts";
import { DatabaseError } from "../../../src/server/storage/postgres/errors.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { rex, ask, code } from "../../support/servers/wire.ts";

describe("a store that fails", () => {
  const errors: readonly (readonly [string, object, number, string])[] = [
    ["a busy database", { errcode: 5 }, 503, "unavailable"],
    ["a full disk", { errcode: 13 }, 503, "unavailable"],
    ["an extended code of a full disk", { errcode: 13 + 256 }, 503, "unavailable"],
    ["an I/O error, after which all may be kept", { errcode: 10 }, 500, "internal"],
    ["anything else", {}, 500, "internal"],
  ];

  it.each(errors)("for %s, %j: %d", async (_what, facts, status, expected) => {
    const error = Object.assign(new Error("secret detail"), facts);
    const storage = { ...memoryStorage(), add: () => Promise.reject(error) };
    const store = await startTestStore({ storage, plan: "9/min,9/day" });
    const reply = await ask(store, "POST", "/v1/pets", { body: rex });
    expect(reply).toMatchObject({ status, headers: { "x-ratelimit-limit": "9" } });
    expect(reply.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
    expect(code(reply)).toBe(expected);
    expect(reply.body).not.toContain("secret");
    expect(store.faults).toEqual([error]);
  });
});

const lost = () => new DatabaseError("x", undefined, true, true);

describe("toApiError", () => {
  const errors: readonly (readonly [string, unknown, number, RegExp, boolean])[] = [
    ["an ApiError", badRequest("no"), 400, /^no$/, false],
    ["a client that left", new ClientDisconnected("the client left"), 400, /left/, false],
    ["a database that is away", lost(), 503, /moment$/, true],
    [
      "an insert without an answer",
      Object.assign(lost(), { mayHaveCommitted: true }),
      503,
      /may have been carried out$/,
      true,
    ],
    [
      "a row that the database refused",
      new DatabaseError("x", undefined, false, false),
      500,
      /may have been carried out$/,
      true,
    ],
    ["something that is not an Error", "oops", 500, /failed/, true],
  ];

  it.each(errors)("%s", (_what, error, status, message, isReported) => {
    const faults: unknown[] = [];
    const apiError = toApiError(error, (fault) => faults.push(fault));
    expect(apiError).toBeInstanceOf(ApiError);
    expect(apiError).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(JSON.parse(apiError.body)).toEqual({
      code: apiError.code,
      message: apiError.message,
      status,
    });
    expect(faults).toEqual(isReported ? [error] : []);
  });
});
