import { describe, expect, it } from "vitest";
import { openApi } from "../../src/store/openapi.ts";
import { startTestStore } from "../support/store.ts";

const document = JSON.parse(openApi);

/** Every `$ref` in `value`. */
function refs(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" ? [String(inner)] : refs(inner),
  );
}

describe("the OpenAPI document", () => {
  it("is 3.1, version 1.0.0, with the operations of api.md", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "/v1" }],
    });
    expect(document.paths["/pets"].get.operationId).toBe("listPets");
    expect(document.paths["/pets"].post.operationId).toBe("createPet");
    expect(document.paths["/pets/{petId}"].get).toMatchObject({
      operationId: "getPet",
      deprecated: true,
    });
  });

  it("refers to nothing that it does not hold", () => {
    const missing = refs(document).filter((ref) => {
      const steps = ref.replace(/^#\//, "").split("/");
      return steps.reduce((part, step) => part?.[step], document) === undefined;
    });
    expect(missing).toEqual([]);
  });

  it("tells of each status that the routes answer with", async () => {
    const { baseUrl, apiKey } = await startTestStore({
      seed: 1,
      plan: "6/min,99/day",
      clock: () => 1e12,
    });
    const authorization = `Bearer ${apiKey}`;
    const asked: readonly (readonly [string, string, RequestInit])[] = [
      ["/pets", "/pets", {}],
      ["/pets", "/pets?limit=0", {}],
      ["/pets/{petId}", "/pets/1", {}],
      ["/pets/{petId}", "/pets/9", {}],
      ["/pets", "/pets", { method: "POST", body: '{"name":"a","categoryId":1}' }],
      ["/pets", "/pets", { method: "POST", body: "x".repeat(70_000) }],
      ["/pets", "/pets", {}],
    ];
    const seen = [];
    for (const [path, target, init] of asked) {
      const { status } = await fetch(baseUrl + target, { ...init, headers: { authorization } });
      const operation = document.paths[path][(init.method ?? "get").toLowerCase()];
      expect(Object.keys(operation.responses)).toContain(String(status));
      seen.push(status);
    }
    expect(seen).toEqual([200, 400, 200, 404, 201, 413, 429]);
  });
});
