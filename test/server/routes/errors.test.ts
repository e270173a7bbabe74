import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { describe, expect, it } from "vitest";
import { startTestStore } from "../../support/store.ts";
import { rex, ask, code } from "../../support/wire.ts";

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
