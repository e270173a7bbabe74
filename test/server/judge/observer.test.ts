import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoreEvent } from "../../../src/server/judge/judge.ts";
import { observeStore } from "../../../src/server/judge/observer.ts";
import type { StoreData } from "../../../src/server/storage/storage.ts";
import { memoryData } from "../../../src/server/storage/sqlite/index.ts";

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse, data: StoreData) => unknown;

const rex = { name: "Rex", categoryId: 1n, status: "sold" } as const;

/** Serves `handle`; returns the events and a function to send requests. The clock advances by 1 ms per reading. */
async function observe(handle: Handle) {
  const events: StoreEvent[] = [];
  let time = 0;
  const observer = observeStore(
    (event) => events.push(event),
    () => (time += 1),
  );
  const memory = memoryData();
  const data = observer.observeData(memory);
  const server = createServer(
    observer.observeRequests((incoming, outgoing) => handle(incoming, outgoing, data)),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await memory.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (target = "/v1/pets", timeout = 5_000) =>
    fetch(`http://127.0.0.1:${port}${target}`, {
      headers: { authorization: "Bearer key" },
      signal: AbortSignal.timeout(timeout),
    })
      .then((reply) => reply.text())
      .catch((error: unknown) => error);
  const ends = () => events.filter(({ type }) => type === "end");
  return { events, ends, ask, data, port };
}

describe("observeStore", () => {
  it("reports a request with its key, its times and the animal that it added", async () => {
    const { events, ask } = await observe(async (_incoming, outgoing, { storage }) => {
      const body = await storage.add(rex);
      outgoing.writeHead(201, {}).end(body);
    });
    await ask("/v1/pets?x");
    await vi.waitFor(() => expect(events).toHaveLength(2));
    const content = '{"id":0,"name":"Rex","categoryId":1,"status":"sold"}';
    expect(events).toEqual([
      { type: "arrival", key: "key", at: 1 },
      {
        type: "end",
        key: "key",
        method: "GET",
        target: "/v1/pets?x",
        arrivedAt: 1,
        endedAt: 2,
        status: 201,
        isComplete: true,
        wait: undefined,
        added: { id: 1n, name: "Rex", content },
      },
    ]);
  });

  it.each([
    ["rate_limited", false],
    ["key_banned", true],
  ])("reports the wait of a 429 with the code %s", async (code, isBan) => {
    const { ends, ask } = await observe((_incoming, outgoing) =>
      outgoing.writeHead(429, { "Retry-After": "7" }).end(JSON.stringify({ code })),
    );
    await ask();
    await vi.waitFor(() => expect(ends()).toMatchObject([{ wait: { seconds: 7, isBan } }]));
  });

  it.each<[string, Handle, Partial<StoreEvent> & { readonly status: number | undefined }]>([
    ["no reply", (incoming) => incoming.socket.destroy(), { status: undefined }],
    [
      "a part of a reply",
      (incoming, outgoing) => {
        outgoing.writeHead(200, { "Content-Length": "9" }).flushHeaders();
        outgoing.write("[");
        incoming.socket.destroySoon();
      },
      { status: 200 },
    ],
    ["nothing before the client left", () => {}, { status: undefined }],
  ])("reports a loss after %s", async (_what, handle, expected) => {
    const { ends, ask } = await observe(handle);
    await ask("/v1/pets", 300);
    await vi.waitFor(() => expect(ends()).toMatchObject([{ ...expected, isComplete: false }]));
  });

  it("reports an animal that is stored after its client has left", async () => {
    const arrived = Promise.withResolvers<void>();
    const { ends, port } = await observe(async (incoming, outgoing, { storage }) => {
      arrived.resolve();
      await once(incoming.socket, "close");
      outgoing.end(await storage.add(rex));
    });
    const asked = request({ host: "127.0.0.1", port, path: "/v1/pets" }).on("error", () => {});
    asked.end();
    await arrived.promise;
    asked.destroy();
    await vi.waitFor(() =>
      expect(ends()).toMatchObject([{ status: undefined, isComplete: false, added: { id: 1n } }]),
    );
  });

  it("reports no request to another path, and each reset", async () => {
    const { events, ask, data } = await observe((_incoming, outgoing) => outgoing.end("{}"));
    await ask("/healthz");
    await ask("/_store/state");
    await data.local?.storage.replaceAll([]);
    expect(events).toEqual([{ type: "reset" }]);
  });
});
