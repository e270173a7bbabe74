import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { PetsApi } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import { connect, failureOf, rex, rexPet, serve, serveRaw } from "../support/service.ts";

const newPet = { name: "Rex", categoryId: 2n };
const created = `HTTP/1.1 201 Created\r\ncontent-length: ${JSON.stringify(rex).length}\r\n\r\n${JSON.stringify(rex)}`;

describe("connections", () => {
  it("are reused one request after the other, and never for two at once", async () => {
    await using service = await serve([201, rex]);
    const { api } = connect(service.baseUrl);
    for (let row = 0; row < 5; row += 1) await api.add(newPet);
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1]);
    await Promise.all([1, 2, 3].map(() => api.add(newPet)));
    const { size } = new Set(service.requests.slice(5).map(({ connection }) => connection));
    expect(size).toBe(3);
  });

  it.each([
    ["idle for 500 ms", () => setTimeoutAsync(500)],
    [
      "idle while the process was busy",
      async () => {
        const end = performance.now() + 500;
        while (performance.now() < end);
      },
    ],
  ])("are not reused when they were %s", async (_what, idle) => {
    await using service = await serve([201, rex]);
    const { api } = connect(service.baseUrl);
    await api.add(newPet);
    await api.add(newPet);
    await idle();
    await api.add(newPet);
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it.each(["end", "resetAndDestroy", "destroy"] as const)(
    "leave no POST in doubt if a service closes each one unannounced (%s)",
    async (close) => {
      // However busy the system is, the pool goes on watching until it sees the close.
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      await using service = await serveRaw(created, (socket) =>
        setImmediate(() => socket[close]()),
      );
      const { api } = connect(service.baseUrl);
      const workers = [1, 2, 3, 4].map(async () => {
        for (let row = 0; row < 10; row += 1) expect(await api.add(newPet)).toEqual(rexPet);
      });
      await Promise.all(workers);
      expect(service.connections).toBe(40);
    },
  );

  it("are not reused if the service announces that it closes them", async () => {
    await using service = await serve([201, rex, { connection: "close" }]);
    const { api } = connect(service.baseUrl);
    for (let row = 0; row < 5; row += 1) await api.add(newPet);
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 4, 5]);
  });
});

/** Returns the failure of a call that is ended after its request has arrived. */
async function ended(
  kind: "interrupted" | "terminated",
  run: (api: PetsApi) => Promise<unknown>,
): Promise<Failure> {
  const controller = new AbortController();
  const arrival = Promise.withResolvers<void>();
  await using service = await serve(() => arrival.resolve());
  const { api } = connect(service.baseUrl, { signal: controller.signal });
  const failure = failureOf(run(api));
  await arrival.promise;
  controller.abort(new Failure(kind, kind));
  return failure;
}

describe("the end of the command", () => {
  it.each(["interrupted", "terminated"] as const)(
    "leaves a POST in doubt that is %s",
    async (kind) => {
      const failure = await ended(kind, (api) => api.add(newPet));
      expect(failure).toMatchObject({ kind, facts: { attempts: 1, retryable: false } });
      expect(failure.message).toBe(
        `${kind} while adding: the animal may or may not have been added`,
      );
    },
  );

  it.each(["interrupted", "terminated"] as const)("fails a GET that is %s", async (kind) => {
    const failure = await ended(kind, (api) => api.list({}));
    expect(failure).toMatchObject({ kind, message: kind, facts: { attempts: 1 } });
  });
});
