import { expect, it } from "vitest";
import { askFaulty } from "../support/servers/faulty-store.ts";
import { startTestStore } from "../support/servers/store.ts";

it.each([
  ["the request's own key", "my-own-key", "my-own-key", "/v1/…"],
  ["no key", "", "pets", "/v1/pets"],
])("tells of each request with its target, without %s", async (_what, key, path, shown) => {
  const targets: string[] = [];
  const onRequest = (_exchange: unknown, target: string): void => void targets.push(target);
  const store = await startTestStore({ events: { onRequest } });
  await askFaulty(store, `GET /v1/${path}`, { key });
  expect(targets).toEqual([shown]);
});

it("tells of each request without a key that the store issued", async () => {
  const key = `pets_${"0123456789abcdef".repeat(2)}`;
  const targets: string[] = [];
  const store = await startTestStore({
    parts: { issuedKeys: [key] },
    events: { onRequest: (_exchange, target) => targets.push(target) },
  });
  await askFaulty(store, `GET /v1/pets?k=${key}&l=${key}`);
  expect(targets).toEqual(["/v1/pets?k=…cdef&l=…cdef"]);
});
