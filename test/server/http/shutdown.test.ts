import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { makeStoreClock } from "../../../src/server/clock.ts";
import { attachService } from "../../../src/server/attach.ts";
import { listen } from "../../../src/server/http/server.ts";
import { keyRecord } from "../../../src/server/keys.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { sendRaw, parseReplies } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import { rex, head, post } from "../../support/servers/wire.ts";

describe("shutdown", () => {
  it("does not wait for connections without a request", async () => {
    const store = await startTestStore();
    const silent = connect(store.port, "127.0.0.1");
    const idle = connect(store.port, "127.0.0.1");
    idle.write(head(store, "GET /v1/pets"));
    await new Promise((answered) => idle.once("data", answered));
    const half = connect(store.port, "127.0.0.1");
    await new Promise<unknown>((sent) => half.write("GET /v1/pe", sent));
    for (const socket of [silent, idle, half]) socket.on("error", () => {});
    const start = performance.now();
    await store.close();
    // Otherwise it would take the 10 s that requests in flight get.
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it("waits for a request in flight, and refuses new ones", async () => {
    const store = await startTestStore();
    const socket = connect(store.port, "127.0.0.1");
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => (received = Buffer.concat([received, chunk])));
    const ended = new Promise((end) => socket.once("end", end));
    // The 100 shows that the store has begun to read the body.
    const begun = new Promise((begin) => socket.once("data", begin));
    socket.write(post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`));
    await begun;
    const closing = store.close();
    await expect(sendRaw(store.port, [head(store, "GET /v1/pets")])).rejects.toThrow(
      "ECONNREFUSED",
    );
    socket.write(rex);
    await ended;
    socket.end();
    expect(parseReplies(received)[1]).toMatchObject({
      status: 201,
      headers: { connection: "close" },
    });
    await closing;
  });

  it("adds no animal whose reply can no longer be sent", async () => {
    const store = await startTestStore();
    const add = `${post(store, `Content-Length: ${rex.length}`)}${rex}`;
    const storage = { ...store.storage };
    let added = 0;
    Object.assign(store.storage, {
      add: async (pet: Parameters<typeof storage.add>[0]) => {
        added += 1;
        if (added === 3) void store.close();
        return storage.add(pet);
      },
    });
    const replies = await sendRaw(store.port, [add.repeat(99)], { expected: 99 });
    expect(replies.every(({ status }) => status === 201)).toBe(true);
    expect(replies.length).toBeLessThan(99);
    expect(added).toBe(replies.length);
  });

  it("waits at most the grace period for a request that does not end", async () => {
    const listening = await listen({ host: "127.0.0.1", port: 0, now: Date.now });
    const storage = memoryStorage();
    await storage.putKey(keyRecord("a-key", "free"), 0);
    const faults: unknown[] = [];
    const data = { storage, limits: memoryLedger(), close: () => storage.close() };
    const clock = makeStoreClock({ now: Date.now, monotonic: () => performance.now() });
    attachService(listening, { data, clock }, { onFault: (error) => faults.push(error) });
    const socket = connect(listening.address.port, "127.0.0.1");
    const begun = new Promise((begin) => socket.once("data", begin));
    const closed = new Promise((close) => socket.on("error", () => {}).once("close", close));
    socket.write(post({ apiKey: "a-key" }, "Expect: 100-continue", "Content-Length: 100"));
    await begun;
    await listening.stop(20);
    await closed;
    expect(await storage.isEmpty()).toBe(true);
    expect(faults).toEqual([]);
    await storage.close();
  });
});
