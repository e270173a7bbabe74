import { expect, it } from "vitest";
import { isStoreRunning } from "../../../src/commands/serve/running-store.ts";
import { readTls } from "../../../src/server/http/tls.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { reply, startStranger } from "../../support/servers/stranger.ts";
import { tlsFiles } from "../../support/servers/tls.ts";

it("detects a store, even one with a self-signed certificate", async () => {
  expect(await isStoreRunning((await startTestStore()).baseUrl)).toBe(true);
  const store = await startTestStore({ options: { tls: readTls(tlsFiles()) } });
  expect(await isStoreRunning(store.baseUrl)).toBe(true);
});

it.each([
  [200, true],
  [503, true],
  [404, false],
])("takes a reply of %d to /healthz as a sign of a store: %s", async (status, is) => {
  const stranger = await startStranger(reply(status, "{}"));
  expect(await isStoreRunning(stranger.baseUrl)).toBe(is);
  expect(stranger.requests.map(({ url }) => url)).toEqual(["/healthz"]);
});

it("detects that nobody answers", async () => {
  expect(await isStoreRunning("http://127.0.0.1:1/v1")).toBe(false);
  expect(await isStoreRunning("nonsense")).toBe(false);
});

it("gives up on a server that accepts the connection and sends nothing", async () => {
  const stranger = await startStranger(() => {});
  expect(await isStoreRunning(stranger.baseUrl)).toBe(false);
});
