import { describe, expect, it } from "vitest";
import { startTestStore } from "../../support/servers/store.ts";

const origin = "http://localhost:5173";

/** Starts a store that pages of `origin` may call; returns a function that asks it as a browser does. */
async function startCors(corsOrigins: readonly string[] = [origin]) {
  const store = await startTestStore({ plan: "1/min,9/day", options: { corsOrigins } });
  const ask = (
    path: string,
    from: string,
    { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ) =>
    fetch(`http://127.0.0.1:${store.port}${path}`, {
      method,
      headers: { Origin: from, Authorization: `Bearer ${store.apiKey}`, ...headers },
    });
  return { ...store, ask };
}

describe("a page of an allowed origin", () => {
  it("may read responses, with the headers of limits and Retry-After, also of a refusal", async () => {
    const { ask } = await startCors();
    for (const status of [200, 429]) {
      const response = await ask("/v1/pets", origin);
      expect(response.status).toBe(status);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("vary")).toBe("Origin");
      const exposed = response.headers.get("access-control-expose-headers") ?? "";
      expect(exposed.split(", ")).toEqual(
        expect.arrayContaining(["X-RateLimit-Remaining", "Retry-After", "Date", "X-Pets-Store"]),
      );
    }
  });

  it("may ask beforehand, without a key, and that counts towards no limit", async () => {
    const { ask } = await startCors();
    const headers = {
      Authorization: "",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization,content-type,traceparent",
    };
    const preflight = await ask("/v1/pets", origin, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,traceparent",
    );
    expect(preflight.headers.has("content-length")).toBe(false);
    for (const name of ["date", "x-pets-store", "x-ratelimit-limit"])
      expect([name, preflight.headers.has(name)]).toEqual([name, true]);
    expect((await ask("/v1/pets", origin)).status).toBe(200);
  });

  it.each([
    ["/healthz", true, 200],
    ["/openapi.json", true, 200],
    ["/_store/state", false, 403],
    ["/", false, 404],
  ])("may read %s: %s", async (path, isAllowed, status) => {
    const { ask } = await startCors();
    const response = await ask(path, origin);
    expect(response.headers.has("access-control-allow-origin")).toBe(isAllowed);
    expect(response.status).toBe(status);
  });
});

describe("a page of another origin", () => {
  it.each(["http://localhost:5174", "https://localhost:5173", "null"])(
    "%s may not",
    async (from) => {
      const { ask } = await startCors();
      const response = await ask("/v1/pets", from);
      expect(response.headers.has("access-control-allow-origin")).toBe(false);
      const headers = { "Access-Control-Request-Method": "GET" };
      const preflight = await ask("/v1/pets", from, { method: "OPTIONS", headers });
      expect(preflight.headers.has("access-control-allow-methods")).toBe(false);
    },
  );

  it("gets no headers of CORS from a store that allows nobody", async () => {
    const { ask } = await startCors([]);
    const names = [...(await ask("/v1/pets", origin)).headers.keys()];
    expect(names.filter((name) => /^(?:access-control|vary)/.test(name))).toEqual([]);
  });
});
