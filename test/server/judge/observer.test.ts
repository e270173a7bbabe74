import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { notesOf } from "../../../src/server/http/request-notes.ts";
import { startJudging } from "../../../src/server/judge/judge.ts";
import { observeStore } from "../../../src/server/judge/observer.ts";
import type { StoreData } from "../../../src/server/storage/storage.ts";
import { memoryData } from "../../../src/server/storage/sqlite/index.ts";

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse, data: StoreData) => unknown;

const rex = { name: "Rex", categoryId: 1n, status: "sold" } as const;

/**
 * Serves `handle`; returns the requests that ended, how many resets there were, and a function to send requests.
 * Each reading of a clock advances it by 1 ms; the store's is 1,000 ahead.
 */
async function observe(handle: Handle) {
  const ends: EndedRequest[] = [];
  const reset = vi.fn<() => void>();
  let time = 0;
  const elapsed = () => (time += 1);
  const judge = { ...startJudging(), take: (ended: EndedRequest) => ends.push(ended), reset };
  const observer = observeStore(judge, { elapsed, now: () => elapsed() + 1_000 });
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
  return { ends, reset, ask, data, port };
}

describe("observeStore", () => {
  it("reports a request with its key, its times and the animal that it added", async () => {
    const { ends, ask } = await observe(async (_incoming, outgoing, { storage }) => {
      const body = await storage.add(rex);
      outgoing.writeHead(201, {}).end(body);
    });
    await ask("/v1/pets?x");
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    const content = '{"id":0,"name":"Rex","categoryId":1,"status":"sold"}';
    expect(ends).toEqual([
      {
        key: "key",
        method: "GET",
        target: "/v1/pets?x",
        connection: 1,
        arrivedAt: 1,
        storeTime: 1_002,
        endedAt: 3,
        status: 201,
        isComplete: true,
        hasLeft: false,
        wait: undefined,
        added: { id: 1n, name: "Rex", content },
      },
    ]);
  });

  it("reports the wait of a 429: as long as the limit, or if it was forced, as Retry-After says", async () => {
    const { ends, ask } = await observe((incoming, outgoing) => {
      if (incoming.url === "/v1/limit") notesOf(incoming).refusedUntil = 8_000;
      if (incoming.url === "/v1/ban")
        Object.assign(notesOf(incoming), { refusedUntil: 9_000, bannedUntil: 9_000 });
      outgoing.writeHead(429, { "Retry-After": "7" }).end("{}");
    });
    for (const target of ["/v1/limit", "/v1/ban", "/v1/forced"]) await ask(target);
    await vi.waitFor(() => expect(ends).toHaveLength(3));
    const forced = { until: (ends[2]?.endedAt ?? 0) + 1_001 + 7_000, isBan: false };
    expect(ends.map(({ wait }) => wait)).toEqual([
      { until: 8_000, isBan: false },
      { until: 9_000, isBan: true },
      forced,
    ]);
  });

  it.each<[string, Handle, Partial<EndedRequest>]>([
    [
      "no response",
      (incoming) => {
        notesOf(incoming).fault = "reset";
        incoming.socket.destroy();
      },
      { status: undefined, hasLeft: false },
    ],
    [
      "a part of a response",
      (incoming, outgoing) => {
        notesOf(incoming).fault = "truncate";
        outgoing.writeHead(200, { "Content-Length": "9" }).flushHeaders();
        outgoing.write("[");
        incoming.socket.destroySoon();
      },
      { status: 200, hasLeft: false },
    ],
    ["nothing before the client left", () => {}, { status: undefined, hasLeft: true }],
  ])("reports a loss after %s", async (_what, handle, expected) => {
    const { ends, ask } = await observe(handle);
    await ask("/v1/pets", 300);
    await vi.waitFor(() => expect(ends).toMatchObject([{ ...expected, isComplete: false }]));
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
      expect(ends).toMatchObject([{ status: undefined, isComplete: false, added: { id: 1n } }]),
    );
  });

  it("takes a response back that its client left unread", async () => {
    const { ends, port } = await observe((_incoming, outgoing) =>
      outgoing.writeHead(200, {}).end("{}"),
    );
    const client = connect(port, "127.0.0.1").on("error", () => {});
    client.write("GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await vi.waitFor(() => expect(ends).toMatchObject([{ isComplete: true }]));
    client.resetAndDestroy();
    await vi.waitFor(() =>
      expect(ends).toMatchObject([{ status: 200, isComplete: false, hasLeft: true }]),
    );
  });

  it("gives requests on one connection one number", async () => {
    const { ends, port } = await observe((_incoming, outgoing) =>
      outgoing.writeHead(200, {}).end("{}"),
    );
    const client = connect(port, "127.0.0.1");
    const get = "GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.write(get + get);
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    client.destroy();
    expect(ends[0]?.connection).toBe(ends[1]?.connection);
  });

  it("reports no request to another path, and each reset", async () => {
    const { ends, reset, ask, data } = await observe((_incoming, outgoing) =>
      outgoing.writeHead(200, {}).end("{}"),
    );
    await ask("/healthz");
    await ask("/_store/state");
    await data.local?.storage.replaceAll([]);
    expect(ends).toEqual([]);
    expect(reset).toHaveBeenCalledOnce();
  });
});
