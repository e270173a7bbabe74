import { describe, expect, it } from "vitest";
import { startFaultyStore, askFaulty } from "../../support/servers/faulty-store.ts";
import { startTestStore } from "../../support/servers/store.ts";

describe("X-Pets-Fault", () => {
  it.each(["", "503", "429,500", "delay=-1", "delay=x"].map((value) => [value || " ", value]))(
    "%j is a 400 that names what is allowed",
    async (fault) => {
      const store = await startFaultyStore({ fault: "reset:1", plan: "9/min,9/day" });
      const reply = await askFaulty(store, "GET /v1/pets", { fault });
      expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-remaining": "8" } });
      expect(JSON.parse(reply.body).message).toMatch(/^X-Pets-Fault must be 429, 500,/);
    },
  );

  it.each([
    ["without fault injection", "localhost", undefined],
    ["for another Host", "rebound.example", undefined],
    ["with a wrong key", "localhost", "pets_wrong"],
    ["without a key", "localhost", ""],
  ])("has no effect %s", async (what, host, key) => {
    const store = await (what === "without fault injection"
      ? startTestStore()
      : startFaultyStore());
    const reply = await askFaulty(store, "GET /v1/pets", {
      fault: "500",
      host,
      ...(key !== undefined && { key }),
    });
    expect(reply.status).toBe(key === undefined ? 200 : 401);
  });

  it("does not delay a client without a valid key", async () => {
    const store = await startFaultyStore();
    const how = { fault: "delay=5000", key: "pets_wrong", patienceMs: 2_000 };
    expect((await askFaulty(store, "GET /v1/pets", how)).status).toBe(401);
  });
});
